// The review queue, for administrators.
import { request } from "../api/client";
import type { Case, CaseDecision, CaseState } from "../api/shapes";

export async function listCases(
  state: CaseState,
  cursor: string | null,
): Promise<{ items: Case[]; next: string | null }> {
  const query = { state, limit: 20, ...(cursor === null ? {} : { cursor }) };
  return await request("get", "/v1/moderation/cases", { query });
}

export async function decideCase(caseId: string, decision: CaseDecision, note: string): Promise<Case> {
  const body = { decision, note: note.trim() === "" ? null : note.trim() };
  return await request("post", "/v1/moderation/cases/{caseId}", { path: { caseId }, body });
}
