import { KebabHorizontalIcon } from '@primer/octicons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { OutputOf } from '@weir/api/client';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { useClusterId } from '../../api/use-cluster.ts';
import { visibleText } from '../../format/visible-text.ts';
import { useFormAction } from '../../ui/actions.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Menu } from '../../ui/menu.tsx';
import { say } from '../../ui/toasts.tsx';
import { restoredText, restoreVersions } from './restore-versions.ts';

interface SubjectActionsProps {
  readonly latest: OutputOf<'describe_schema'>;
  readonly isDeleted: boolean;
}

/** Deletes a subject in two steps as the registry does, and registers a deleted one again. */
export function SubjectActions({ latest, isDeleted }: SubjectActionsProps) {
  const clusterId = useClusterId();
  const navigate = useNavigate();
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

  const remove = useFormAction('delete_subject', () => {
    setAsking(false);
    if (isDeleted) void navigate({ to: '/clusters/$clusterId/subjects', params: { clusterId } });
  });
  const confirm = () =>
    remove.run(
      { ...target, permanent: isDeleted },
      isDeleted ? `Permanently deleted ${name}` : `Deleted ${name}`,
    );
  return (
    <>
      {isDeleted && (
        <Button onClick={() => void restore()} disabled={isRestoring}>
          Restore subject
        </Button>
      )}
      <Menu
        trigger={<IconButton icon={KebabHorizontalIcon} label="More actions" kind="plain" />}
        entries={[
          {
            id: 'delete',
            label: isDeleted ? 'Delete permanently …' : 'Delete subject …',
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
        title={isDeleted ? `Permanently delete ${name}?` : `Delete ${name}?`}
        button={isDeleted ? 'Delete permanently' : 'Delete subject'}
        onConfirm={confirm}
        action={remove}
        {...(isDeleted ? { nameToType: subject } : {})}
      >
        {isDeleted ? (
          <p>
            This deletes all versions and the settings of the subject (hard delete) and cannot be undone.
            Consumers can no longer deserialize records with its schema ids, unless another subject has the
            same schemas.
          </p>
        ) : (
          <p>
            Clients can no longer look up its versions by name (soft delete). Schemas stay readable by id, so
            consumers can still deserialize records. You can restore the subject until it is deleted
            permanently: its schemas keep their ids and get new version numbers.
          </p>
        )}
      </ConfirmDialog>
    </>
  );
}
