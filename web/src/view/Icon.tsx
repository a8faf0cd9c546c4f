// Icons: one path each on a 24 px grid.
const PATHS = {
  alert: "M12 4 3 20h18zM12 10v4M12 17v.1",
  archive: "M4 5h16v4H4zM5.500 9v10.500h13V9M10 13h4",
  at: "M16 12a4 4 0 1 1-8 0 4 4 0 0 1 8 0zm0 0v1.500a2.500 2.500 0 0 0 5 0V12a9 9 0 1 0-3.500 7.100",
  bell: "M6 16V11a6 6 0 1 1 12 0v5l1.500 2h-15zM10 21h4",
  bellOff: "M6 16V11a6 6 0 0 1 .8-3M9 5.800A6 6 0 0 1 18 11v4M19.500 18h-15L6 16M10 21h4M4 4l16 16",
  board: "M4.500 4.500h4v15h-4zM10 4.500h4v10h-4zM15.500 4.500h4v7h-4z",
  box: "m12 3.500 8 4v9l-8 4-8-4v-9zM4 7.500l8 4 8-4M12 11.500v9",
  calendar: "M5 6h14v14H5zM5 10.500h14M9 3.500V7M15 3.500V7",
  chat: "M4 6.500A2.500 2.500 0 0 1 6.500 4h11A2.500 2.500 0 0 1 20 6.500v7a2.500 2.500 0 0 1-2.500 2.500H11l-4.500 4V16A2.500 2.500 0 0 1 4 13.500z",
  check: "m5 12.500 4.500 4.500L19 7",
  close: "m6 6 12 12M18 6 6 18",
  clock: "M12 3.500a8.500 8.500 0 1 0 0 17 8.500 8.500 0 0 0 0-17zM12 8v4.500l3 2",
  copy: "M8 8h11v12H8zM5 16V4h11",
  down: "M12 5v14M6 13l6 6 6-6",
  download: "M12 4v11M7 11l5 5 5-5M5 20h14",
  edit: "M4 20h4L19 9l-4-4L4 16zM13 7l4 4",
  file: "M6 3.500h8l4 4V20.500H6zM14 3.500v4h4",
  gear: "M4 7h9M17.500 7H20M4 17h2.500M11 17h9M15.300 4.800a2.200 2.200 0 1 0 0 4.400 2.200 2.200 0 0 0 0-4.400zM8.700 14.800a2.200 2.200 0 1 0 0 4.400 2.200 2.200 0 0 0 0-4.400z",
  handshake:
    "m3 8 4-2.500 5 1.500 5-1.500L21 8v7h-2.500M3 8v7h2l5 4.500 2.500-1 2-.5 2-1 2-2L13 10l-3 2c-1.500.500-2.500-1-1.500-2L12 7",
  hash: "M5 9h15M4 15h15M10 4 8 20M16 4l-2 16",
  inbox: "M4 13 6.500 5h11L20 13v6H4zM4 13h5l1 2.500h4l1-2.500h5",
  leave: "M14 5H6v14h8M11 12h9M17 8.500 20.500 12 17 15.500",
  link: "M10 14a4 4 0 0 0 5.700 0l3-3A4 4 0 0 0 13 5.300l-1 1M14 10a4 4 0 0 0-5.700 0l-3 3a4 4 0 0 0 5.700 5.700l1-1",
  list: "M8 6.500h12M8 12h12M8 17.500h12M4 6.500v.01M4 12v.01M4 17.500v.01",
  lock: "M6 11h12v9H6zM8.500 11V8a3.500 3.500 0 0 1 7 0v3",
  menu: "M4 7h16M4 12h16M4 17h16",
  money:
    "M3.500 6.500h17v11h-17zM12 9.500a2.500 2.500 0 1 0 0 5 2.500 2.500 0 0 0 0-5zM6.500 9.500v.01M17.500 14.500v.01",
  more: "M6 12v.01M12 12v.01M18 12v.01",
  people:
    "M9 11.500a3.500 3.500 0 1 0 0-7 3.500 3.500 0 0 0 0 7zM2.500 19.500a6.500 6.500 0 0 1 13 0M15.500 5a3.500 3.500 0 0 1 0 6.500M17.500 14a6.500 6.500 0 0 1 4 5.500",
  person: "M12 11.500a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4.500 20.500a7.500 7.500 0 0 1 15 0",
  pin: "M9 4h6l-.7 6 3.200 3.500h-11L9.700 10zM12 13.500V20",
  plus: "M12 5v14M5 12h14",
  reply: "M9.500 7 4.500 12l5 5M5 12h9a5.500 5.500 0 0 1 5.500 5.500V19",
  retry: "M5 12a7 7 0 1 1 2.200 5.100M5 19v-4.500h4.500",
  search: "M11 4.500a6.500 6.500 0 1 0 0 13 6.500 6.500 0 0 0 0-13zM16 16l4 4",
  send: "M4.500 12 4 4.500 20.500 12 4 19.500zM4.500 12H12",
  shield: "M12 3.500 5 6v5.500c0 4.500 3 7.500 7 9 4-1.500 7-4.500 7-9V6z",
  smile:
    "M12 3.500a8.500 8.500 0 1 0 0 17 8.500 8.500 0 0 0 0-17zM8.500 14a4.300 4.300 0 0 0 7 0M9 9.500v.5M15 9.500v.5",
  tag: "M4 4h8l8 8-8 8-8-8zM8.500 8.500v.01",
  trash: "M5 7h14M10 7V4.500h4V7M7 7l1 13h8l1-13M10.500 11v5M13.500 11v5",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 19 }: { name: IconName; size?: number }) {
  return (
    <svg className="icon" width={size} height={size} viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} strokeWidth={name === "more" ? 3 : undefined} />
    </svg>
  );
}

interface IconButtonProps extends React.ComponentProps<"button"> {
  icon: IconName;
  label: string;
  size?: number;
}

/** An icon button; its label is for screen readers and the tooltip. */
export function IconButton({ icon, label, size = 19, className = "", ...rest }: IconButtonProps) {
  return (
    <button type="button" className={`icon-button ${className}`} aria-label={label} title={label} {...rest}>
      <Icon name={icon} size={size} />
    </button>
  );
}
