import { createLink } from '@tanstack/react-router';
import type { ComponentProps } from 'react';
import { classNames } from './class-names.ts';

/** A link to a page, in a text. */
export const TextLink = createLink(({ className, ...props }: ComponentProps<'a'>) => (
  <a {...props} className={classNames('text-accent underline', className)} />
));
