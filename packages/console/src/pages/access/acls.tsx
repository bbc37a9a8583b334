import { PlusIcon } from '@primer/octicons-react';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useOperation } from '../../api/use-operation.ts';
import { Answer } from '../../ui/answer.tsx';
import { Button } from '../../ui/button.tsx';
import { FilterBox, matching } from '../../ui/list-page.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { Empty } from '../../ui/states.tsx';
import { AccessTabs } from './access-tabs.tsx';
import { AclFormDialog } from './acl-form-dialog.tsx';
import { AclState, AclSwitch } from './acl-mode.tsx';
import { type AccessQuestion, ruleInWords } from './acl-rule.ts';
import { AclTester } from './acl-tester.tsx';
import { AclExportDialog, AclImportDialog } from './acl-transfer-dialog.tsx';
import { RecentDenials } from './recent-denials.tsx';
import { RuleTable } from './rule-table.tsx';

/** The rules of a cluster, and whom they let do what. */
export function Acls() {
  const { clusterId } = useParams({ from: '/frame/clusters/$clusterId/acls' });
  const { q, sort, ...asked } = useSearch({ from: '/frame/clusters/$clusterId/acls' });
  const navigate = useNavigate({ from: '/clusters/$clusterId/acls' });
  const acls = useOperation(
    'virtual_clusters/acls/list',
    { virtual_cluster_id: clusterId },
    { everyMs: 15_000 },
  );
  const [open, setOpen] = useState<'create' | 'export' | 'import'>();
  const close = () => setOpen(undefined);
  const rules = acls.data?.acls ?? [];
  const question =
    asked.principal === undefined || asked.operation === undefined || asked.resource_name === undefined
      ? undefined
      : ({ ...asked, resource_type: asked.resource_type ?? 'TOPIC' } as AccessQuestion);
  return (
    <Page
      title="Access"
      tabTitle="ACLs"
      facts={
        <span className="flex flex-wrap items-center gap-2">
          <AclState clusterId={clusterId} />
          <AclSwitch clusterId={clusterId} />
        </span>
      }
      actions={
        <>
          <Menu
            trigger={<Button>Import and export</Button>}
            entries={[
              { id: 'from-json', label: 'Import from JSON', onSelect: () => setOpen('import') },
              {
                id: 'as-json',
                label: 'Export as JSON',
                onSelect: () => setOpen('export'),
                disabledBecause: rules.length === 0 ? 'There are no rules' : undefined,
              },
            ]}
          />
          <Button kind="primary" onClick={() => setOpen('create')}>
            <PlusIcon aria-hidden="true" /> Create ACL
          </Button>
        </>
      }
    >
      <AccessTabs clusterId={clusterId} />
      <RecentDenials clusterId={clusterId} />
      <AclTester
        clusterId={clusterId}
        given={asked}
        question={question}
        onAsk={(next) => void navigate({ search: { q, sort, ...next } })}
      />
      <FilterBox
        label="Filter rules"
        value={q ?? ''}
        onChange={(text) =>
          void navigate({ search: (now) => ({ ...now, q: text === '' ? undefined : text }), replace: true })
        }
      />
      <Card title={acls.data && `${rules.length} ${rules.length === 1 ? 'rule' : 'rules'}`}>
        <Answer of={acls} what="list the ACLs">
          {(data) => {
            const shown = matching(data.acls, ruleInWords, q);
            return shown.length === 0 ? (
              <Empty title={data.acls.length === 0 ? 'No ACLs yet' : 'No rule matches the filter'}>
                A rule allows or denies a principal an operation on a resource. While ACLs are enforced,
                requests that no rule allows are denied, except those of superusers. Create an ACL for each
                application.
              </Empty>
            ) : (
              <RuleTable
                clusterId={clusterId}
                rules={shown}
                sort={sort ?? 'principal'}
                onSort={(next) => void navigate({ search: (now) => ({ ...now, sort: next }), replace: true })}
              />
            );
          }}
        </Answer>
      </Card>
      {open === 'create' && <AclFormDialog clusterId={clusterId} onClose={close} />}
      {open === 'export' && <AclExportDialog clusterId={clusterId} rules={rules} onClose={close} />}
      {open === 'import' && <AclImportDialog clusterId={clusterId} rules={rules} onClose={close} />}
    </Page>
  );
}
