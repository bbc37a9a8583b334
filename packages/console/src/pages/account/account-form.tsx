import { type ReactNode, useEffect } from 'react';
import { classNames } from '../../ui/class-names.ts';

interface AccountFormProps {
  readonly title: string;
  readonly children: ReactNode;
  /** For commands, which are longer than fields. */
  readonly isWide?: boolean;
}

/** The frame of pages before there is a session. */
export function AccountForm({ title, children, isWide = false }: AccountFormProps) {
  useEffect(() => {
    document.title = `${title} · Weir`;
  }, [title]);
  return (
    <main
      className={classNames(
        'mx-auto flex min-h-dvh flex-col justify-center gap-4 p-4 pb-[10vh]',
        isWide ? 'w-[min(48rem,100vw)]' : 'w-[min(24rem,100vw)]',
      )}
    >
      <h1 className="text-xl font-semibold text-ink">{title}</h1>
      {children}
    </main>
  );
}
