// A part of the page that takes files which are dragged onto it, and shows that it does.
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
        // It also bubbles from a child to its neighbor: only a leave to outside counts.
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
