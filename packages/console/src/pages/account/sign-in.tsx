import { useQueryClient } from '@tanstack/react-query';
import { useRouter, useSearch } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { call, problemOf } from '../../api/client.ts';
import { useOperation } from '../../api/use-operation.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/fields.tsx';
import { Failure } from '../../ui/states.tsx';
import { forgetCredentials } from '../messages/state/kafka-credential.ts';
import { AccountForm } from './account-form.tsx';

export function SignIn() {
  const { return_to } = useSearch({ from: '/sign-in' });
  const methods = useOperation('get_sign_in_methods', {});
  const router = useRouter();
  const queries = useQueryClient();
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);

  async function signIn(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    setBusy(true);
    try {
      await call('sign_in', { email: String(fields.get('email')), password: String(fields.get('password')) });
      queries.clear();
      // Another person may sign in after a session has expired.
      forgetCredentials();
      router.history.push(ownPath(return_to));
    } catch (error) {
      setProblem(problemOf(error).message);
      setBusy(false);
    }
  }

  const sso = methods.data?.sso_login_path;
  return (
    <AccountForm title="Sign in to Weir">
      {methods.isError && (
        <Failure what="list the sign-in methods" error={methods.error} onRetry={() => methods.refetch()} />
      )}
      {methods.data?.needs_setup === true && (
        <p className="text-sm text-body">
          There is no user yet. Open the link that the control plane printed when it started.
        </p>
      )}
      {return_to !== undefined && <p className="text-sm text-muted">You return to the page you came from.</p>}
      {methods.data?.passwords === true && (
        <form onSubmit={(event) => void signIn(event)} className="flex flex-col gap-3">
          <TextField label="E-mail" name="email" type="email" autoComplete="username" required />
          <TextField
            label="Password"
            name="password"
            problem={problem}
            type="password"
            autoComplete="current-password"
            required
          />
          <Button kind="primary" type="submit" disabled={isBusy}>
            {isBusy ? 'Signing in …' : 'Sign in'}
          </Button>
        </form>
      )}
      {sso !== undefined && sso !== null && (
        <a
          href={`${sso}?return_to=${encodeURIComponent(ownPath(return_to))}`}
          className="flex h-8 items-center justify-center rounded-md border border-line-strong text-sm font-medium hover:bg-hover"
        >
          Sign in with your organization
        </a>
      )}
    </AccountForm>
  );
}

/** Only a path of this site: a link to sign in must not lead to another one afterwards. */
function ownPath(path: string | undefined): string {
  return path !== undefined && /^\/(?![/\\])/.test(path) ? path : '/';
}
