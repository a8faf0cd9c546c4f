// The gateway connection: one socket that reconnects after server restarts and network failures.
//
// It identifies, sends heartbeats, resumes, drops duplicates, and reconnects after a random delay, so that thousands of
// clients do not reconnect at the same time. It does not interpret events.
import { SignedOut } from "../api/problems";
import { TOKEN_REFUSED, type ClientFrame, type Frame, type LiveEvent, type Reconnect } from "./frames";

export type Link = "connecting" | "live" | "waiting";

export interface GatewayOptions {
  url: string;
  /** Returns an access token; with `refused`, a different one. */
  token: (refused?: string) => Promise<string>;
  onEvent: (event: LiveEvent) => void;
  onLink: (link: Link) => void;
  /** From here on all events of these channels come; before, some may have been missed. */
  onWatched: (channelIds: readonly string[]) => void;
  onSignedOut: () => void;
  open?: (url: string) => WebSocket;
  random?: () => number;
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 20_000;
/** A server cannot make this client wait longer than this. */
const LONGEST_ASKED_MS = 300_000;
const MOST_SEEN = 10_000;
/** How long before its expiry the token is renewed. */
const RENEW_MARGIN_MS = 60_000;
/** The close code of this client; any code from 4000 is allowed. */
const CLIENT_CLOSE = 4900;

export class Gateway {
  private readonly options: GatewayOptions;
  private readonly random: () => number;
  private socket: WebSocket | null = null;
  private sessionId: string | null = null;
  private cursor: string | null = null;
  private usedToken: string | undefined;
  private isTokenRefused = false;
  private watched: readonly string[] = [];
  private watches = 0;
  /** What was watched when this connection began. */
  private identifiedWith: readonly string[] = [];
  private attempts = 0;
  private notBefore = 0;
  private isRunning = false;
  private isAcknowledged = true;
  private isIdentified = false;
  private beat: ReturnType<typeof setTimeout> | undefined;
  private retry: ReturnType<typeof setTimeout> | undefined;
  private renewal: ReturnType<typeof setTimeout> | undefined;
  private readonly seen = new Set<string>();

  constructor(options: GatewayOptions) {
    this.options = options;
    this.random = options.random ?? Math.random;
  }

  start(): void {
    if (this.isRunning) return;
    this.isRunning = true;
    this.connect();
  }

  /** Close the connection for good, at sign-out. */
  stop(): void {
    this.isRunning = false;
    clearTimeout(this.retry);
    this.disconnect();
    this.sessionId = this.cursor = null;
  }

  /** Watch these channels, instead of those before; also after a reconnect. */
  watch(channelIds: readonly string[]): void {
    if (channelIds.join() === this.watched.join()) return;
    this.watched = channelIds;
    if (this.isIdentified) this.sendWatched();
  }

  private sendWatched(): void {
    this.watches += 1;
    this.send({ op: 14, id: this.watches, d: { channelIds: [...this.watched] } });
  }

  /** Reconnect now: the network is back, or the page is visible again. */
  wake(): void {
    // Not before the time that a busy server has named.
    if (!this.isRunning || this.socket !== null || Date.now() < this.notBefore) return;
    clearTimeout(this.retry);
    this.connect();
  }

  /** Disconnect now: the browser is offline, so a missing heartbeat need not prove it. */
  lose(): void {
    if (!this.isRunning || this.socket === null) return;
    this.disconnect();
    this.reconnectLater();
  }

  private connect(): void {
    this.options.onLink("connecting");
    const socket = (this.options.open ?? ((url) => new WebSocket(url)))(this.options.url);
    this.socket = socket;
    socket.onmessage = (event: MessageEvent<string>) => {
      if (socket === this.socket) this.handleFrame(JSON.parse(event.data) as Frame);
    };
    socket.onclose = (event) => {
      if (socket === this.socket) this.closed(event.code);
    };
  }

  private handleFrame(frame: Frame): void {
    switch (frame.op) {
      case 10:
        this.startHeartbeat(frame.d.heartbeatInterval);
        void this.identify();
        return;
      case 11:
        this.isAcknowledged = true;
        return;
      case 9:
        this.sessionId = this.cursor = null;
        void this.identify();
        return;
      case 7:
        this.disconnect();
        this.reconnectLater(frame.d);
        return;
      case 13:
        // The result of an older watch is outdated.
        if (frame.id === this.watches && frame.d.status === 200) this.options.onWatched(this.watched);
        return;
      case 0:
        this.dispatch(frame);
    }
  }

  private dispatch(frame: Extract<Frame, { op: 0 }>): void {
    if (frame.s !== undefined) this.cursor = frame.s;
    if (frame.id !== undefined && !this.isNew(frame.id)) return;
    const event = { t: frame.t, d: frame.d } as LiveEvent;
    if (event.t === "ready") {
      this.sessionId = event.d.sessionId;
      this.renewBefore(event.d.expiresAt);
    } else if (event.t === "renewed") {
      this.renewBefore(event.d.expiresAt);
    }
    this.options.onEvent(event);
    if (event.t === "ready" || event.t === "resumed") {
      this.attempts = 0;
      // A frame that was sent before the server had identified this client would have closed the connection.
      if (this.identifiedWith !== this.watched) this.sendWatched();
      this.isIdentified = true;
      this.options.onLink("live");
    }
  }

  private async identify(): Promise<void> {
    const socket = this.socket;
    let token: string;
    try {
      token = await this.options.token(this.isTokenRefused ? this.usedToken : undefined);
    } catch (error) {
      if (socket !== this.socket) return;
      this.disconnect();
      if (error instanceof SignedOut) this.signOut();
      else this.reconnectLater();
      return;
    }
    if (socket !== this.socket) return;
    this.isTokenRefused = false;
    this.usedToken = token;
    const asked = this.watched.length === 0 ? { token } : { token, channelIds: [...this.watched] };
    if (this.sessionId !== null && this.cursor !== null)
      this.send({ op: 6, d: { ...asked, sessionId: this.sessionId, s: this.cursor } });
    else this.send({ op: 2, d: asked });
    this.identifiedWith = this.watched;
  }

  private closed(code: number): void {
    this.disconnect();
    if (!this.isRunning) return;
    if (code === TOKEN_REFUSED) {
      this.sessionId = this.cursor = null;
      this.isTokenRefused = true;
    }
    this.reconnectLater();
  }

  private signOut(): void {
    this.stop();
    this.options.onSignedOut();
  }

  /** Reconnect when the server says, or else with full jitter: a random delay up to a bound that doubles. */
  private reconnectLater(asked?: Reconnect): void {
    const bound = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** this.attempts);
    const wait = asked === undefined ? this.random() * bound : this.askedWait(asked);
    this.notBefore = asked === undefined ? 0 : Date.now() + wait;
    this.attempts += 1;
    this.options.onLink("waiting");
    clearTimeout(this.retry);
    this.retry = setTimeout(() => this.connect(), wait);
  }

  private askedWait({ retryAfter, spread }: Reconnect): number {
    return Math.min(LONGEST_ASKED_MS, Math.max(0, retryAfter + this.random() * spread) * 1000);
  }

  private startHeartbeat(interval: number): void {
    this.isAcknowledged = true;
    const next = () => {
      if (!this.isAcknowledged) {
        this.disconnect();
        this.reconnectLater();
        return;
      }
      this.isAcknowledged = false;
      this.send({ op: 1, d: { s: this.cursor } });
      this.beat = setTimeout(next, interval);
    };
    clearTimeout(this.beat);
    this.beat = setTimeout(next, this.random() * interval);
  }

  private renewBefore(expiresAt: string | undefined): void {
    clearTimeout(this.renewal);
    if (expiresAt === undefined) return;
    const wait = Math.max(1000, Date.parse(expiresAt) - Date.now() - RENEW_MARGIN_MS);
    this.renewal = setTimeout(() => {
      void this.renew();
    }, wait);
  }

  /** Renew the token by a second identify on the same socket. */
  private async renew(): Promise<void> {
    const socket = this.socket;
    try {
      const token = await this.options.token(this.usedToken);
      if (socket !== this.socket) return;
      this.usedToken = token;
      this.send({ op: 2, d: { token } });
    } catch (error) {
      // Otherwise the socket closes when its token expires, and the reconnect tries again.
      if (error instanceof SignedOut && socket === this.socket) this.signOut();
    }
  }

  private isNew(id: string): boolean {
    if (this.seen.has(id)) return false;
    this.seen.add(id);
    if (this.seen.size > MOST_SEEN) {
      const [oldest] = this.seen;
      if (oldest !== undefined) this.seen.delete(oldest);
    }
    return true;
  }

  private send(frame: ClientFrame): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(frame));
  }

  private disconnect(): void {
    clearTimeout(this.beat);
    clearTimeout(this.renewal);
    const socket = this.socket;
    this.socket = null;
    this.isIdentified = false;
    if (socket !== null && socket.readyState <= WebSocket.OPEN) socket.close(CLIENT_CLOSE);
  }
}
