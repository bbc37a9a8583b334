import { type ReactNode, useEffect } from 'react';

/** The frame of pages before there is a session. */
export function AccountForm({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · Weir`;
  }, [title]);
  return (
    <main className="mx-auto flex min-h-dvh w-[min(24rem,100vw)] flex-col justify-center gap-4 p-4 pb-[20vh]">
      <h1 className="text-xl font-semibold text-ink">{title}</h1>
      {children}
    </main>
  );
}
