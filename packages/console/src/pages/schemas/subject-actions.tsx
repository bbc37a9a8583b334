import { KebabHorizontalIcon } from '@primer/octicons-react';
import { useNavigate } from '@tanstack/react-router';
import type { OutputOf } from '@weir/api/client';
import { useState } from 'react';
import { problemOf } from '../../api/client.ts';
import { useAction } from '../../api/use-operation.ts';
import { visibleText } from '../../format/visible-text.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Menu } from '../../ui/menu.tsx';
import { say } from '../../ui/toasts.tsx';

interface SubjectActionsProps {
  readonly clusterId: string;
  readonly latest: OutputOf<'describe_schema'>;
  readonly isDeleted: boolean;
}

/** Deletes a subject in two steps as the registry does, and registers a deleted one again. */
export function SubjectActions({ clusterId, latest, isDeleted }: SubjectActionsProps) {
  const navigate = useNavigate();
  const remove = useAction('delete_subject');
  const register = useAction('register_schema');
  const [isAsking, setAsking] = useState(false);
  const subject = latest.subject!;
  const target = { virtual_cluster_id: clusterId, subject };
  const name = visibleText(subject);

  const restore = () =>
    register.mutate(
      {
        ...target,
        schema: latest.schema,
        schema_type: latest.schema_type,
        references: latest.references,
      },
      {
        onSuccess: ({ version }) => say(`Registered the last schema of ${name} again, as version ${version}`),
        onError: (error) => say(`Failed to register ${name} again: ${problemOf(error).message}`, 'fail'),
      },
    );

  const confirm = () =>
    remove.mutate(
      { ...target, permanent: isDeleted },
      {
        onSuccess: () => {
          setAsking(false);
          say(isDeleted ? `Removed ${name} for good` : `Deleted ${name}`);
          if (isDeleted) void navigate({ to: '/clusters/$clusterId/subjects', params: { clusterId } });
        },
      },
    );

  return (
    <>
      {isDeleted && (
        <Button onClick={restore} disabled={register.isPending}>
          Undo the deletion
        </Button>
      )}
      <Menu
        trigger={
          <Button isIcon aria-label="More actions">
            <KebabHorizontalIcon aria-hidden="true" />
          </Button>
        }
        entries={[
          {
            id: 'delete',
            label: isDeleted ? 'Remove for good …' : 'Delete the subject …',
            isDanger: true,
            onSelect: () => {
              remove.reset();
              setAsking(true);
            },
          },
        ]}
      />
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={isDeleted ? `Remove ${name} for good?` : `Delete ${name}?`}
        button={isDeleted ? 'Remove for good' : 'Delete the subject'}
        onConfirm={confirm}
        action={remove}
        {...(isDeleted ? { nameToType: subject } : {})}
      >
        {isDeleted ? (
          <p>
            All versions and what is set for the subject go for good. Records that have their ids can no
            longer be read by schema, unless another subject has the same schemas.
          </p>
        ) : (
          <p>
            Clients can no longer find its versions by name. Schemas can still be read by their ids, so that
            records stay readable. The last schema can be registered again as a new version.
          </p>
        )}
      </ConfirmDialog>
    </>
  );
}
