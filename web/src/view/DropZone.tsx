// A section that accepts dropped files, with an overlay while dragging.
import { useState, type ComponentProps } from "react";

interface DropZoneProps extends ComponentProps<"section"> {
  onFiles: (files: Iterable<File>) => void;
}

export function DropZone({ onFiles, children, ...rest }: DropZoneProps) {
  const [isOver, setOver] = useState(false);
  return (
    <section
      {...rest}
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes("Files")) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={(event) => {
        // It also bubbles between children: only leaving the section counts.
        const to = event.relatedTarget;
        if (!(to instanceof Node && event.currentTarget.contains(to))) setOver(false);
      }}
      onDrop={(event) => {
        if (!event.dataTransfer.types.includes("Files")) return;
        event.preventDefault();
        setOver(false);
        onFiles(event.dataTransfer.files);
      }}
    >
      {children}
      {isOver && <div className="drop-here">Drop files to send them</div>}
    </section>
  );
}
