import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Router } from "wouter";
import { BASE } from "./api/base";
import { App } from "./App";
import { connect } from "./live/connect";
import { applySavedLook } from "./view/preferences";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/shell.css";
import "./styles/room.css";
import "./styles/screens.css";
import "./styles/threads.css";
import "./styles/inbox.css";
import "./styles/workspaces.css";

applySavedLook();
connect();

const root = document.getElementById("root");
if (root !== null)
  createRoot(root).render(
    <StrictMode>
      <Router base={BASE}>
        <App />
      </Router>
    </StrictMode>,
  );
