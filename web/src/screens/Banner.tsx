// The connection banner, shown after a short delay so that brief interruptions do not flash.
import { useEffect, useState } from "react";
import { useStore } from "../store/store";
import { Icon } from "../view/Icon";

const DELAY_MS = 1500;

export function Banner() {
  const isLive = useStore((state) => state.link === "live");
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    if (isLive) {
      setShown(false);
      return;
    }
    const timer = setTimeout(() => setShown(true), navigator.onLine ? DELAY_MS : 0);
    return () => clearTimeout(timer);
  }, [isLive]);
  return (
    <div className="banner-slot" role="status">
      {isShown && (
        <p className="banner">
          <Icon name="alert" size={16} />
          {navigator.onLine ? "Reconnecting…" : "You're offline."} Messages will send when you're back online.
        </p>
      )}
    </div>
  );
}
