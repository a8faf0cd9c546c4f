// An avatar: a picture, or initials on a color that follows from the id.
import { useState } from "react";
import { fileIdOf, useAddress } from "../actions/files";
import { useStore } from "../store/store";

const HUES = [14, 32, 48, 84, 150, 178, 205, 262, 318, 345];

interface AvatarProps {
  id: string;
  name: string;
  url: string | null | undefined;
  size?: number;
  /** The icon of a community instead of a user. */
  square?: boolean;
  presence?: boolean;
}

export function Avatar({ id, name, url, size = 38, square = false, presence = false }: AvatarProps) {
  const address = useAddress(fileIdOf(url));
  const [broken, setBroken] = useState<string | null>(null);
  const isOnline = useStore((state) => presence && state.online[id] === true);
  const source = address === null || address === "gone" ? null : (address.previewUrl ?? address.url);
  const hue = HUES[Array.from(id).reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % HUES.length] ?? 14;
  return (
    <span
      className={square ? "avatar avatar-square" : "avatar"}
      style={{
        width: size,
        height: size,
        fontSize: size * 0.4,
        background: source === null ? `hsl(${hue} 34% 34%)` : undefined,
      }}
      aria-hidden="true"
    >
      {source !== null && source !== broken ? (
        <img src={source} alt="" width={size} height={size} onError={() => setBroken(source)} />
      ) : (
        initials(name)
      )}
      {isOnline && <span className="presence" />}
    </span>
  );
}

function initials(name: string): string {
  const words = name.split(/[\s._-]+/).filter((word) => word !== "");
  const letters = words
    .slice(0, 2)
    .map((word) => String.fromCodePoint(word.codePointAt(0) ?? 63).toUpperCase());
  return letters.join("") || "?";
}
