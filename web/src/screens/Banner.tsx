// The banner: said only when the line has been gone for a moment, so that a short break does not flash.
import { useEffect, useState } from "react";
import { useStore } from "../store/store";
import { Icon } from "../view/Icon";

const PATIENCE_MS = 1500;

export function Banner() {
  const isLive = useStore((state) => state.link === "live");
  const [isTold, setTold] = useState(false);
  useEffect(() => {
    if (isLive) {
      setTold(false);
      return;
    }
    const timer = setTimeout(() => setTold(true), navigator.onLine ? PATIENCE_MS : 0);
    return () => clearTimeout(timer);
  }, [isLive]);
  return (
    <div className="banner-place" role="status">
      {isTold && (
        <p className="banner">
          <Icon name="alert" size={16} />
          {navigator.onLine ? "Reconnecting…" : "You're offline."} Messages will send when you're back online.
        </p>
      )}
    </div>
  );
}
