import { PlusIcon } from '@primer/octicons-react';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useOperation } from '../../../api/use-operation.ts';
import { counted } from '../../../format/format.ts';
import { visibleText } from '../../../format/visible-text.ts';
import { ChangeButton } from '../../../session/change-button.tsx';
import { Button } from '../../../ui/button.tsx';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import { Card } from '../../../ui/page.tsx';
import { Answer, Empty } from '../../../ui/states.tsx';
import { Status, type StatusKind } from '../../../ui/status.tsx';
import { AclFormDialog } from '../../access/acl-form-dialog.tsx';
import { AclState } from '../../access/acl-mode.tsx';
import { keyOfRule } from '../../access/acl-rule.ts';
import { useRuleColumns } from '../../access/rule-table.tsx';
import {
  isAboutTopic,
  type Permission,
  type TopicPrincipal,
  topicPrincipals,
} from '../../access/topic-access.ts';

const looks: Readonly<Record<Permission, { readonly kind: StatusKind; readonly text: string }>> = {
  yes: { kind: 'ok', text: 'yes' },
  no: { kind: 'fail', text: 'no' },
  partly: { kind: 'warn', text: 'by host' },
};

const path = '/frame/clusters/$clusterId/topics/$topic/access';

/** The rules about a topic, and whom they let read and write it. */
export function TopicAccess() {
  const { clusterId, topic } = useParams({ from: path });
  const navigate = useNavigate();
  const input = { virtual_cluster_id: clusterId };
  const acls = useOperation('virtual_clusters/acls/list', input, { everyMs: 15_000 });
  const about = { ...input, resource_type: 'TOPIC', resource_name: topic } as const;
  const readers = useOperation('explain_access', { ...about, operation: 'READ' }, { everyMs: 15_000 });
  const writers = useOperation('explain_access', { ...about, operation: 'WRITE' }, { everyMs: 15_000 });
  const [isCreating, setCreating] = useState(false);
  const ruleColumns = useRuleColumns();
  const columns = useMemo(() => columnsOf(clusterId, topic), [clusterId, topic]);
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <AclState />
        <div className="flex-1" />
        <Button
          onClick={() =>
            void navigate({
              to: '/clusters/$clusterId/acls',
              params: { clusterId },
              search: { resource_type: 'TOPIC', resource_name: topic },
            })
          }
        >
          Test access
        </Button>
        <ChangeButton kind="primary" icon={PlusIcon} onClick={() => setCreating(true)}>
          Create ACL
        </ChangeButton>
      </div>
      <Answer of={readers} what="explain the access">
        {(read) => (
          <Answer of={writers} what="explain the access">
            {(write) => (
              <Card title="Principals that may read or write">
                <DataTable
                  label="Principals"
                  columns={columns}
                  rows={topicPrincipals(read, write)}
                  keyOf={({ principal }) => principal}
                />
              </Card>
            )}
          </Answer>
        )}
      </Answer>
      <Answer of={acls} what="list the ACLs">
        {(data) => {
          const rules = data.acls.filter((rule) => isAboutTopic(rule, topic));
          return (
            <Card title={`${counted(rules.length, 'rule')} for this topic`}>
              {rules.length === 0 ? (
                <Empty title="No rules for this topic">
                  Literal rules for its name, prefixed rules that match it, and rules for all topics appear
                  here. While ACLs are enforced, only superusers may read or write.
                </Empty>
              ) : (
                <DataTable label="ACLs" columns={ruleColumns} rows={rules} keyOf={keyOfRule} />
              )}
            </Card>
          );
        }}
      </Answer>
      {isCreating && <AclFormDialog given={{ resource_name: topic }} onClose={() => setCreating(false)} />}
    </>
  );
}

function columnsOf(clusterId: string, topic: string): readonly Column<TopicPrincipal>[] {
  const permission = (
    title: string,
    operation: 'READ' | 'WRITE',
    of: (row: TopicPrincipal) => Permission,
  ) => ({
    id: operation,
    title,
    width: 'minmax(7rem, 1fr)',
    cell: (row: TopicPrincipal) => {
      const { kind, text } = looks[of(row)];
      return (
        <Link
          to="/clusters/$clusterId/acls"
          params={{ clusterId }}
          search={{
            principal: row.principal,
            operation,
            resource_type: 'TOPIC',
            resource_name: topic,
          }}
          title={`Test ${operation} by ${visibleText(row.principal)}`}
          className="hover:underline"
        >
          <Status kind={kind}>{text}</Status>
        </Link>
      );
    },
  });
  return [
    {
      id: 'principal',
      title: 'Principal',
      width: 'minmax(12rem, 2fr)',
      cell: ({ principal }) => (
        <span className="font-medium text-ink" title={visibleText(principal)}>
          <bdi>{visibleText(principal)}</bdi>
          {principal === 'User:*' && <span className="font-normal text-muted"> all other users</span>}
        </span>
      ),
    },
    permission('Read', 'READ', ({ read }) => read),
    permission('Write', 'WRITE', ({ write }) => write),
    {
      id: 'because',
      title: 'Reason',
      width: 'minmax(10rem, 2fr)',
      cell: ({ isSuperuser }) => (isSuperuser ? 'superuser: ACLs do not apply' : 'rules below'),
    },
  ];
}
