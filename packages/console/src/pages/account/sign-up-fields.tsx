import { useEffect, useState } from 'react';
import { TextField } from '../../ui/fields.tsx';

/** The token behind `#` of a link. It leaves the address bar, so that no copied address has it. */
export function useLinkToken(): string {
  const [token] = useState(() => location.hash.slice(1));
  useEffect(() => history.replaceState(history.state, '', location.pathname), []);
  return token;
}

export function LinkIsNotWhole() {
  return (
    <p role="alert" className="text-sm text-fail">
      The link is incomplete: the part after # is missing. Copy the whole link and open it again.
    </p>
  );
}

export function NameField() {
  return <TextField label="Your name" name="name" required maxLength={128} autoComplete="name" />;
}

export function NewPasswordField() {
  return (
    <TextField
      label="Password"
      name="password"
      type="password"
      required
      minLength={12}
      autoComplete="new-password"
    >
      At least 12 characters.
    </TextField>
  );
}
