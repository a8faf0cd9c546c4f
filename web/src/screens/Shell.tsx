// The layout of signed-in users: rail, sidebar and screen; on narrow screens the first two are a drawer.
import { Suspense, useEffect, useState } from "react";
import { Route, Switch, useLocation } from "wouter";
import { useStore } from "../store/store";
import { serverTally, serversOf, conversationTally } from "../store/selectors";
import { threadTally } from "../store/threads";
import { Banner } from "./Banner";
import { ConversationList } from "./ConversationList";
import { DrawerContext } from "./drawer";
import { PageNotFound } from "./NotFound";
import { ROUTES } from "./routes";
import { QuickSwitcher } from "./QuickSwitcher";
import { Rail } from "./Rail";
import { useShortcuts } from "./shortcuts";
import { UserBar } from "./UserBar";

export function Shell() {
  const [isOpen, setOpen] = useState(false);
  const [isSwitching, setSwitching] = useState(false);
  const [path] = useLocation();
  useEffect(() => setOpen(false), [path]);
  useShortcuts(() => setSwitching(true));
  useTitle();
  return (
    <DrawerContext value={() => setOpen(true)}>
      <div className={isOpen ? "shell drawer-open" : "shell"}>
        <a className="skip" href="#main">
          Skip to content
        </a>
        <Banner />
        <div className="drawer" onKeyDown={(event) => event.key === "Escape" && setOpen(false)}>
          <Rail onSearch={() => setSwitching(true)} />
          <div className="sidebar">
            <Switch>
              {ROUTES.map(({ path: pattern, sidebar: Sidebar }) => (
                <Route key={pattern} path={pattern}>
                  {(params) => <Sidebar params={params} />}
                </Route>
              ))}
              <Route>
                <ConversationList params={{}} />
              </Route>
            </Switch>
            <UserBar />
          </div>
        </div>
        <button
          type="button"
          className="scrim"
          tabIndex={-1}
          aria-hidden="true"
          onClick={() => setOpen(false)}
        />
        <main id="main" tabIndex={-1}>
          <Suspense fallback={<div className="empty" aria-busy="true" />}>
            <Switch>
              {ROUTES.map(({ path: pattern, screen: Screen }) => (
                <Route key={pattern} path={pattern}>
                  {(params) => <Screen params={params} />}
                </Route>
              ))}
              <Route>
                <PageNotFound />
              </Route>
            </Switch>
          </Suspense>
        </main>
        {isSwitching && <QuickSwitcher onClose={() => setSwitching(false)} />}
      </div>
    </DrawerContext>
  );
}

/** Shows the unread state in the document title. */
function useTitle(): void {
  const title = useStore((state) => {
    const servers = serversOf(state).map((each) => serverTally(state, each.serverId));
    const waiting = servers.reduce(
      (sum, each) => sum + each.mentions,
      conversationTally(state).mentions + threadTally(state).mentions,
    );
    const isUnread = servers.some((each) => each.unread);
    return waiting > 0 ? `(${waiting}) Sobremesa` : isUnread ? "• Sobremesa" : "Sobremesa";
  });
  useEffect(() => {
    document.title = title;
  }, [title]);
}
