// The layout of pages for signed-out users.
import type { ReactNode } from "react";

export function SignedOutPage({ title, children }: { title: string; children: ReactNode }) {
  return (
    <main className="signed-out">
      <div className="signed-out-card">
        <Brand />
        <h1>{title}</h1>
        {children}
      </div>
      <p className="signed-out-tagline">
        <em>Sobremesa</em>: the conversation that goes on at the table after a meal.
      </p>
    </main>
  );
}

function Brand() {
  return (
    <p className="brand">
      <svg viewBox="0 0 64 64" width="34" height="34" aria-hidden="true">
        <rect width="64" height="64" rx="16" fill="#b4532a" />
        <path
          d="M16 22h27a9 9 0 0 1 0 18h-2.500a13 13 0 0 1-24.500-6z"
          fill="none"
          stroke="#fdf6ec"
          strokeWidth="5"
          strokeLinejoin="round"
        />
        <path d="M14 50h30" stroke="#fdf6ec" strokeWidth="5" strokeLinecap="round" />
      </svg>
      Sobremesa
    </p>
  );
}
