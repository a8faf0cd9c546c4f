// The people of the demo: only a page that the demo serves has them.

export interface DemoPerson {
  name: string;
  username: string;
  password: string;
  sees: string;
}

export function demoPeople(page: Document = document): readonly DemoPerson[] {
  const text = page.querySelector<HTMLMetaElement>('meta[name="sobremesa-demo"]')?.content;
  if (text === undefined) return [];
  return (JSON.parse(text) as { people: DemoPerson[] }).people;
}
