import { KebabHorizontalIcon } from '@primer/octicons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { OutputOf } from '@weir/api/client';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { useAction } from '../../api/use-operation.ts';
import { visibleText } from '../../format/visible-text.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Menu } from '../../ui/menu.tsx';
import { say } from '../../ui/toasts.tsx';
import { restoredText, restoreVersions } from './restore-versions.ts';

interface SubjectActionsProps {
  readonly clusterId: string;
  readonly latest: OutputOf<'describe_schema'>;
  readonly isDeleted: boolean;
}

/** Deletes a subject in two steps as the registry does, and registers a deleted one again. */
export function SubjectActions({ clusterId, latest, isDeleted }: SubjectActionsProps) {
  const navigate = useNavigate();
  const remove = useAction('delete_subject');
  const queries = useQueryClient();
  const [isRestoring, setRestoring] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const subject = latest.subject!;
  const target = { virtual_cluster_id: clusterId, subject };
  const name = visibleText(subject);

  /** Each version in its order, so that the subject has the same schemas with the same ids again. */
  const restore = async () => {
    setRestoring(true);
    const outcome = await restoreVersions(latest.versions, {
      read: (version) => call('describe_schema', { ...target, version, include_deleted: true }),
      register: ({ schema, schema_type, references }) =>
        call('register_schema', { ...target, schema, schema_type, references }),
    });
    setRestoring(false);
    void queries.invalidateQueries();
    say(restoredText(name, latest.versions.length, outcome), outcome.problem === undefined ? 'ok' : 'fail');
  };

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
        <Button onClick={() => void restore()} disabled={isRestoring}>
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
            records stay readable. The deletion can be undone until the subject is removed for good: its
            schemas get their ids back, with new version numbers.
          </p>
        )}
      </ConfirmDialog>
    </>
  );
}
