import { useEffect, useState } from 'react';
import { Field, TextControl } from '../../ui/field.tsx';

/** The token behind `#` of a link. It leaves the address bar, so that no copied address has it. */
export function useLinkToken(): string {
  const [token] = useState(() => location.hash.slice(1));
  useEffect(() => history.replaceState(history.state, '', location.pathname), []);
  return token;
}

export function LinkIsNotWhole() {
  return (
    <p role="alert" className="text-sm text-fail">
      The link is not whole: its part behind # is missing. Copy all of it and open it again.
    </p>
  );
}

export function NameField() {
  return (
    <Field label="Your name" name="name">
      <TextControl required maxLength={128} autoComplete="name" />
    </Field>
  );
}

export function NewPasswordField() {
  return (
    <Field label="Password" name="password" help="At least 12 characters.">
      <TextControl type="password" required minLength={12} autoComplete="new-password" />
    </Field>
  );
}
