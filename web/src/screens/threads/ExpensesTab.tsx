// Expenses with their approval. The totals come from the records.
import { useState } from "react";
import { addExpense, decide, withdrawExpense } from "../../actions/records";
import { Problem } from "../../api/problems";
import type { Expense, ExpensePage, Thread } from "../../api/shapes";
import { CURRENCIES, formatAmount, parseAmount } from "../../cards/money";
import { stateTitle } from "../../cards/types";
import { useStore } from "../../store/store";
import { Dialog } from "../../view/Dialog";
import { Field } from "../../view/Field";
import { Form } from "../../view/Form";
import { Icon } from "../../view/Icon";
import { PersonName } from "../../view/Person";
import { toastError, toast } from "../../view/toasts";
import { recordsOf } from "./tabs";
import { useSeats } from "./useThread";
import { useTab } from "./useTab";

type Total = ExpensePage["totals"][number];

const TONES: Readonly<Record<string, string>> = {
  submitted: "waiting",
  approved: "good",
  rejected: "over",
  void: "over",
};

export function ExpensesTab({ thread }: { thread: Thread }) {
  const content = useTab(thread.threadId, "expenses")?.content;
  const [isAdding, setAdding] = useState(false);
  const expenses = recordsOf<Expense>(content, "expenses").filter(
    (each) => typeof each.expenseId === "string",
  );
  const totals = recordsOf<Total>(content, "totals").filter((each) => each.state !== "void");
  return (
    <>
      {totals.length > 0 && (
        <dl className="totals">
          {totals.map((each) => (
            <div key={`${each.currency} ${each.state}`}>
              <dt className="note">{stateTitle(each.state)}</dt>
              <dd>{formatAmount(each.amount, each.currency)}</dd>
            </div>
          ))}
        </dl>
      )}
      {expenses.length === 0 && <p className="note">No expenses yet.</p>}
      <ul className="tab-rows">
        {expenses.map((expense) => (
          <ExpenseRow key={expense.expenseId} expense={expense} thread={thread} />
        ))}
      </ul>
      {thread.roleContext !== null && (
        <button type="button" className="button button-small" onClick={() => setAdding(true)}>
          <Icon name="plus" size={16} /> Submit expense
        </button>
      )}
      {isAdding && <NewExpense threadId={thread.threadId} onClose={() => setAdding(false)} />}
    </>
  );
}

function ExpenseRow({ expense, thread }: { expense: Expense; thread: Thread }) {
  const me = useStore((state) => state.me?.userId);
  const seats = useSeats(thread.threadId);
  const isMine = expense.createdBy === me;
  const side =
    expense.createdBy === thread.buyerUserId
      ? "buyer"
      : expense.createdBy === thread.sellerUserId
        ? "seller"
        : seats[expense.createdBy]?.roleContext;
  const isOpen = expense.state === "submitted";
  const canDecide = isOpen && !isMine && thread.roleContext !== null && thread.roleContext !== side;
  const decideOn = (decision: "approve" | "reject") => () =>
    decide(expense, decision).catch((error: unknown) => {
      if (error instanceof Problem && error.status === 409) toast("This was just updated.");
      else toastError(error);
    });
  return (
    <li className="tab-row tab-row-open">
      <span className="tab-row-text">
        <strong>{expense.title}</strong>
        <span className="note">
          <PersonName userId={expense.createdBy} />, {expense.category}, {expense.incurredOn}
        </span>
      </span>
      <span className="tab-row-end">
        <strong>{formatAmount(expense.amount, expense.currency)}</strong>
        <span className={`pill pill-${TONES[expense.state] ?? "over"}`}>{stateTitle(expense.state)}</span>
      </span>
      {(canDecide || (isOpen && isMine)) && (
        <span className="tab-row-buttons">
          {canDecide && (
            <>
              <button
                type="button"
                className="button button-small button-primary"
                onClick={() => void decideOn("approve")()}
              >
                Approve
              </button>
              <button type="button" className="button button-small" onClick={() => void decideOn("reject")()}>
                Reject
              </button>
            </>
          )}
          {isMine && (
            <button
              type="button"
              className="button button-small"
              onClick={() => void withdrawExpense(expense.threadId, expense.expenseId).catch(toastError)}
            >
              Withdraw
            </button>
          )}
        </span>
      )}
    </li>
  );
}

function NewExpense({ threadId, onClose }: { threadId: string; onClose: () => void }) {
  return (
    <Dialog title="Submit expense" onClose={onClose}>
      <Form
        submit="Submit"
        onSubmit={async ({ title = "", amount = "", currency = "EUR", category = "", incurredOn = "" }) => {
          const minor = parseAmount(amount, currency);
          if (minor === null) throw new Error("Enter an amount, such as 250 or 250.50.");
          await addExpense(threadId, {
            title: title.trim(),
            amount: minor,
            currency,
            category: category.trim(),
            incurredOn,
          });
          onClose();
        }}
      >
        <Field label="Description" name="title" required maxLength={200} autoFocus autoComplete="off" />
        <div className="money-fields">
          <Field
            label="Amount"
            name="amount"
            inputMode="decimal"
            required
            placeholder="129.00"
            autoComplete="off"
          />
          <Field as="select" label="Currency" name="currency">
            {CURRENCIES.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </Field>
        </div>
        <Field label="Category" name="category" required maxLength={50} placeholder="travel" />
        <Field
          label="Date"
          name="incurredOn"
          type="date"
          required
          defaultValue={new Date().toLocaleDateString("sv")}
        />
      </Form>
    </Dialog>
  );
}
