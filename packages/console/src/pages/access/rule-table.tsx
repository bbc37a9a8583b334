import { TrashIcon } from '@primer/octicons-react';
import { useClusterId } from '../../api/use-cluster.ts';
import { useAction } from '../../api/use-operation.ts';
import { visibleText } from '../../format/visible-text.ts';
import { ChangeIconButton } from '../../session/change-button.tsx';
import { nameColumn, textColumn } from '../../ui/columns.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { Status } from '../../ui/status.tsx';
import { say, sayWithUndo } from '../../ui/toasts.tsx';
import { type Rule, resourceWord, ruleInWords } from './acl-rule.ts';

/** The columns of rules, each of which can be deleted. */
export function useRuleColumns(): readonly Column<Rule>[] {
  return columnsOf(useDelete());
}

/** Deletes at once, because the same rule can be created again. */
function useDelete(): (rule: Rule) => void {
  const remove = useAction('virtual_clusters/acls/delete');
  const create = useAction('virtual_clusters/acls/create');
  const target = { virtual_cluster_id: useClusterId() };
  const onError = ({ message }: Error) => say(message, 'fail');
  const undo = (rule: Rule) => void create.mutateAsync({ ...target, acl: rule }).catch(onError);
  // The table is gone with its last rule, and callbacks of `mutate` with it.
  return (rule) =>
    void remove
      .mutateAsync({ ...target, acls: [rule] })
      .then(() => sayWithUndo(`Deleted: ${ruleInWords(rule)}`, () => undo(rule)), onError);
}

function columnsOf(onDelete: (rule: Rule) => void): readonly Column<Rule>[] {
  return [
    nameColumn('principal', 'Principal', 'minmax(12rem, 2fr)', ({ principal }) => principal),
    {
      id: 'permission',
      title: 'Permission',
      width: '8rem',
      sortBy: ({ permission_type }) => permission_type,
      cell: ({ permission_type }) => (
        <Status kind={permission_type === 'ALLOW' ? 'ok' : 'fail'}>
          {permission_type === 'ALLOW' ? 'allow' : 'deny'}
        </Status>
      ),
    },
    textColumn('operation', 'Operation', '10rem', ({ operation }) => operation),
    {
      id: 'resource',
      title: 'Resource',
      priority: 1,
      width: 'minmax(14rem, 2fr)',
      sortBy: ({ resource_type, resource_name }) => `${resource_type} ${resource_name}`,
      cell: ({ resource_type, resource_name, pattern_type }) => (
        <span title={visibleText(resource_name)}>
          <span className="text-muted">{resourceWord(resource_type)}</span>{' '}
          <bdi>{visibleText(resource_name)}</bdi>
          {pattern_type === 'PREFIXED' && <span className="text-muted"> (prefix)</span>}
        </span>
      ),
    },
    textColumn('host', 'From', '8rem', ({ host }) => host),
    {
      id: 'delete',
      title: 'Actions',
      priority: 5,
      width: '6rem',
      cell: (rule) => (
        <ChangeIconButton
          icon={TrashIcon}
          label={`Delete: ${ruleInWords(rule)}`}
          title="Delete this rule; can be undone"
          onClick={() => onDelete(rule)}
        />
      ),
    },
  ];
}
