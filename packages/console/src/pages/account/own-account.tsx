import { useState } from 'react';
import { useAction, useOperation } from '../../api/use-operation.ts';
import { useContextOfCaller } from '../../session/context.ts';
import { useButtonAction } from '../../ui/actions.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/fields.tsx';
import { Form } from '../../ui/form.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { Answer } from '../../ui/states.tsx';
import { Status } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { say } from '../../ui/toasts.tsx';

/** What a person sees and changes of the own account: rights, sessions, password. */
export function OwnAccount() {
  const { data: context } = useContextOfCaller();
  return (
    <Page
      title="Your account"
      facts={
        context && `${context.actor.name} · account ${context.account.name} · release ${context.release}`
      }
    >
      <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-2">
        <Rights />
        <Password />
      </div>
      <Sessions />
    </Page>
  );
}

function Rights() {
  const { data: context } = useContextOfCaller();
  return (
    <Card title="Your rights">
      <ul className="divide-y divide-line text-sm">
        {context?.workspaces.map(({ id, name, grant }) => (
          <li key={id} className="flex gap-2 px-4 py-2">
            <span className="min-w-0 flex-1 truncate text-ink">{name}</span>
            <span className="text-muted">{grant === 'admin' ? 'administer' : 'read'}</span>
          </li>
        ))}
      </ul>
      <p className="border-t border-line px-4 py-2 text-sm text-muted">
        {context?.is_account_admin === true
          ? 'You administer the account: keys, workspaces, members and roles.'
          : 'For more access, ask an account administrator to change your role on the Team page.'}
      </p>
    </Card>
  );
}

function Password() {
  const change = useAction('change_password');
  const [version, setVersion] = useState(0);
  return (
    <Card title="Password">
      <div className="p-4">
        <Form
          key={version}
          button="Change password"
          action={change}
          onSubmit={(fields) =>
            change.mutate(
              {
                current_password: String(fields.get('current') ?? ''),
                new_password: String(fields.get('new') ?? ''),
              },
              {
                onSuccess: () => {
                  setVersion((last) => last + 1);
                  say('Changed the password and ended all other sessions');
                },
              },
            )
          }
        >
          <TextField
            label="Current password"
            name="current"
            type="password"
            autoComplete="current-password"
            required
          />
          <TextField
            label="New password"
            name="new"
            type="password"
            autoComplete="new-password"
            required
            minLength={12}
          >
            At least 12 characters. Ends all other sessions.
          </TextField>
        </Form>
      </div>
    </Card>
  );
}

function Sessions() {
  const sessions = useOperation('list_sessions', {}, { everyMs: 30_000 });
  const revoke = useButtonAction('revoke_session');
  return (
    <Card title="Sessions">
      <Answer of={sessions} what="list your sessions" rows={3}>
        {(answer) => (
          <ul className="divide-y divide-line">
            {answer.sessions.map((session) => (
              <li key={session.id} className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2 text-sm">
                <div className="min-w-0 flex-1 basis-64">
                  <p className="truncate text-ink" title={session.user_agent}>
                    {session.user_agent === '' ? 'Unknown client' : session.user_agent}
                  </p>
                  <p className="text-xs text-muted">
                    from {session.remote_address} · used <Time of={session.last_used_at} isAgo /> · began{' '}
                    <Time of={session.created_at} /> · ends <Time of={session.expires_at} />
                  </p>
                </div>
                {session.is_current ? (
                  <Status kind="ok">this session</Status>
                ) : (
                  <Button
                    disabled={revoke.isPending}
                    onClick={() => revoke.run({ session_id: session.id }, 'Ended the session')}
                  >
                    End session
                  </Button>
                )}
              </li>
            ))}
          </ul>
        )}
      </Answer>
      <p className="border-t border-line px-4 py-2 text-sm text-muted">
        If you do not recognize a session, end it and change your password.
      </p>
    </Card>
  );
}
