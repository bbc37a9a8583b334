import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useAction } from '../../api/use-operation.ts';
import { Form, textOf } from '../../ui/form.tsx';
import { AccountForm } from './account-form.tsx';
import { LinkIsNotWhole, NameField, NewPasswordField, useLinkToken } from './sign-up-fields.tsx';

/** An invited person becomes a user. */
export function Join() {
  const token = useLinkToken();
  const accept = useAction('users/accept_invitation');
  const queries = useQueryClient();
  const navigate = useNavigate();
  return (
    <AccountForm title="Join Weir">
      <p className="text-sm text-body">You are invited to join an account. This link works once.</p>
      {token === '' && <LinkIsNotWhole />}
      <Form
        button="Join"
        action={accept}
        onSubmit={(fields) =>
          accept.mutate(
            { token, name: textOf(fields, 'name'), password: String(fields.get('password') ?? '') },
            {
              onSuccess: () => {
                queries.clear();
                void navigate({ to: '/clusters' });
              },
            },
          )
        }
      >
        <NameField />
        <NewPasswordField />
      </Form>
    </AccountForm>
  );
}
