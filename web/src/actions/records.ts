// Records of a thread: documents with versions and signatures, amendments, and expenses.
import { request } from "../api/client";
import type { Amendment, Expense, ExpensePage, ThreadDocument, FullDocument } from "../api/shapes";

export async function listDocuments(threadId: string): Promise<ThreadDocument[]> {
  return (
    await request("get", "/v1/threads/{threadId}/documents", { path: { threadId }, query: { limit: 100 } })
  ).items;
}

export async function getDocument(
  threadId: string,
  documentId: string,
  version?: number,
): Promise<FullDocument> {
  return await request("get", "/v1/threads/{threadId}/documents/{documentId}", {
    path: { threadId, documentId },
    query: version === undefined ? {} : { version },
  });
}

export async function createDocument(
  threadId: string,
  document: { title: string; kind: ThreadDocument["kind"]; body: string },
): Promise<void> {
  await request("post", "/v1/threads/{threadId}/documents", { path: { threadId }, body: document });
}

export async function addVersion(
  document: ThreadDocument,
  body: string,
  note: string | null,
): Promise<FullDocument> {
  const { threadId, documentId, currentVersion: version } = document;
  return await request("post", "/v1/threads/{threadId}/documents/{documentId}/versions", {
    path: { threadId, documentId },
    body: { body, note, version },
  });
}

export async function sign(document: ThreadDocument): Promise<FullDocument> {
  const { threadId, documentId, currentVersion: version } = document;
  return await request("post", "/v1/threads/{threadId}/documents/{documentId}/signatures", {
    path: { threadId, documentId },
    body: { version },
  });
}

export async function voidDocument(threadId: string, documentId: string): Promise<void> {
  await request("delete", "/v1/threads/{threadId}/documents/{documentId}", {
    path: { threadId, documentId },
  });
}

export async function listAmendments(threadId: string): Promise<Amendment[]> {
  return (
    await request("get", "/v1/threads/{threadId}/amendments", { path: { threadId }, query: { limit: 100 } })
  ).items;
}

export async function listExpenses(threadId: string): Promise<ExpensePage> {
  return await request("get", "/v1/threads/{threadId}/expenses", {
    path: { threadId },
    query: { limit: 100 },
  });
}

export type NewExpense = Pick<Expense, "title" | "amount" | "currency" | "category" | "incurredOn">;

export async function addExpense(threadId: string, expense: NewExpense): Promise<void> {
  await request("post", "/v1/threads/{threadId}/expenses", { path: { threadId }, body: expense });
}

export async function decide(expense: Expense, decision: "approve" | "reject"): Promise<void> {
  const { threadId, expenseId, version } = expense;
  await request("post", "/v1/threads/{threadId}/expenses/{expenseId}/decision", {
    path: { threadId, expenseId },
    body: { decision, version },
  });
}

export async function withdrawExpense(threadId: string, expenseId: string): Promise<void> {
  await request("delete", "/v1/threads/{threadId}/expenses/{expenseId}", { path: { threadId, expenseId } });
}
