// The demo users; only pages of the demo server list them.

export interface DemoUser {
  name: string;
  username: string;
  password: string;
  sees: string;
}

export function demoUsers(page: Document = document): readonly DemoUser[] {
  const text = page.querySelector<HTMLMetaElement>('meta[name="sobremesa-demo"]')?.content;
  if (text === undefined) return [];
  return (JSON.parse(text) as { people: DemoUser[] }).people;
}
