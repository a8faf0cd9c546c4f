// Money: integers of a currency's smallest unit, never floating-point fractions.

export const CURRENCIES = [
  "EUR",
  "USD",
  "GBP",
  "CHF",
  "JPY",
  "SEK",
  "NOK",
  "DKK",
  "PLN",
  "CZK",
  "BRL",
  "MXN",
  "ARS",
  "CAD",
  "AUD",
  "INR",
];

const LARGEST = 1e15;

/** The number of decimal digits of a currency. */
export function digitsOf(currency: string): number {
  return (
    new Intl.NumberFormat("en", { style: "currency", currency }).resolvedOptions().maximumFractionDigits ?? 2
  );
}

/** “1 250.5” in euros is 125050; null if it is not a valid amount of that currency. */
export function parseAmount(text: string, currency: string): number | null {
  const plain = text.replace(/[\s\u00a0\u202f'’]/g, "");
  const match = /^(\d+)(?:[.,](\d+))?$/.exec(plain);
  const digits = digitsOf(currency);
  if (match === null || (match[2] ?? "").length > digits) return null;
  const amount = Number(`${match[1] ?? ""}${(match[2] ?? "").padEnd(digits, "0")}`);
  return Number.isSafeInteger(amount) && amount > 0 && amount <= LARGEST ? amount : null;
}

export function formatAmount(amount: number, currency: string): string {
  try {
    const digits = digitsOf(currency);
    return new Intl.NumberFormat(undefined, { style: "currency", currency }).format(amount / 10 ** digits);
  } catch {
    return `${amount} ${currency}`; // not an ISO currency
  }
}
