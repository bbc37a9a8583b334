import { Button as BaseButton } from '@base-ui/react/button';
import type { Icon } from '@primer/octicons-react';
import type { ComponentProps } from 'react';
import { classNames } from './class-names.ts';

type Kind = 'primary' | 'plain' | 'quiet' | 'danger';

const kinds: Readonly<Record<Kind, string>> = {
  primary: 'border-transparent bg-accent text-on-accent hover:bg-accent-strong',
  plain: 'border-line-strong bg-surface text-ink hover:bg-hover active:bg-pressed',
  quiet: 'border-transparent text-body hover:bg-hover active:bg-pressed',
  danger: 'border-transparent bg-fail text-surface hover:opacity-90',
};

interface ButtonProps extends ComponentProps<typeof BaseButton> {
  readonly kind?: Kind;
  /** Before the text. */
  readonly icon?: Icon;
}

/** The looks of a button, also for a link that looks like one. */
export function buttonClass(kind: Kind): string {
  return classNames(
    'inline-flex h-8 shrink-0 items-center justify-center gap-1.5 rounded-md border text-sm font-medium',
    'whitespace-nowrap transition-colors duration-150 select-none',
    'data-disabled:pointer-events-none data-disabled:opacity-50 [&_svg]:size-4 [&_svg]:shrink-0',
    kinds[kind],
  );
}

export function Button({ kind = 'plain', icon: IconOf, className, children, ...props }: ButtonProps) {
  return (
    <BaseButton
      className={classNames(
        buttonClass(kind),
        children === undefined ? 'w-8' : 'px-3',
        typeof className === 'string' && className,
      )}
      {...props}
    >
      {IconOf !== undefined && <IconOf aria-hidden="true" />}
      {children}
    </BaseButton>
  );
}

interface IconButtonProps extends Omit<ButtonProps, 'children'> {
  readonly icon: Icon;
  /** What it does, for screen readers and, without a title of its own, under the pointer. */
  readonly label: string;
}

/** A square with one icon. */
export function IconButton({ label, ...props }: IconButtonProps) {
  return <Button kind="quiet" aria-label={label} title={label} {...props} />;
}
