import type { OutputOf } from '@weir/api/client';
import { type McpRead, mcpReads } from '@weir/api/mcp-configuration';
import { docsMcpPath, mcpPath } from '@weir/api/paths';
import { systemClock } from '@weir/core';
import { useState } from 'react';
import { useAction, useOperation } from '../../api/use-operation.ts';
import { formatAgo } from '../../format/format.ts';
import { useContextOfCaller } from '../../session/context.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox, SelectField, TextField } from '../../ui/fields.tsx';
import { Form, textOf } from '../../ui/form.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { Command } from '../../ui/states.tsx';
import { Status } from '../../ui/status.tsx';
import { type FormerConfiguration, mcpKeyNames } from './mcp-keys.ts';
import { type McpTest, testMcp } from './test-mcp.ts';

type Made = OutputOf<'create_mcp_configuration'>;

const clientNames: Readonly<Record<Made['configurations'][number]['client'], string>> = {
  url: 'Clients that use the field url (most)',
  server_url: 'Clients that use the field serverUrl',
  command_line: 'Clients configured by a command',
};

const forms = [
  ['single_key', 'One key for all workspaces'],
  ['per_workspace', 'One key and one header per workspace'],
] as const;

const readTexts: Readonly<Record<McpRead, { readonly label: string; readonly help: string }>> = {
  records: {
    label: 'Records of topics',
    help: 'The assistant sees your data. Masked fields stay hidden, and every read is in the audit log.',
  },
  audit_log: { label: 'Audit log', help: 'Who changed what, with names and addresses.' },
};

const newKey = 'new';

/** The newest is chosen: who generates again has usually lost the secret, which is shown only once. */
function keyChoices(former: readonly FormerConfiguration[]): readonly (readonly [string, string])[] {
  return [
    ...former.map(({ name, lastUsedAt }): readonly [string, string] => {
      const used =
        lastUsedAt === null ? 'never used' : `used ${formatAgo(Date.parse(lastUsedAt), systemClock.nowMs())}`;
      return [name, `Replace ${name}, ${used}`];
    }),
    [newKey, 'Add a new key'],
  ];
}

/** Makes the configuration that an assistant needs to read clusters, with keys of its own. */
export function Mcp() {
  const { data: context } = useContextOfCaller();
  const create = useAction('create_mcp_configuration');
  const keys = useOperation('list_api_keys', {});
  const { next, former } = mcpKeyNames(keys.data?.api_keys ?? [], context?.actor.id ?? '');
  const [noneChosen, setNoneChosen] = useState(false);
  return (
    <Page
      title="MCP"
      facts="Assistants read clusters, events and diagnostics through the Model Context Protocol. Their keys are read only."
    >
      <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-[24rem_minmax(0,1fr)]">
        <Card title="Generate configuration">
          <div className="p-4">
            <Form
              what="generate the configuration"
              button="Generate"
              action={create}
              onSubmit={(fields) => {
                const workspaceIds = fields.getAll('workspace').map(String);
                setNoneChosen(workspaceIds.length === 0);
                if (workspaceIds.length === 0) return;
                const keyName = textOf(fields, 'key_name');
                const replaced = former.find(({ name }) => name === textOf(fields, 'key'));
                create.mutate({
                  workspace_ids: workspaceIds,
                  form: textOf(fields, 'form') as (typeof forms)[number][0],
                  server_name: textOf(fields, 'server_name'),
                  key_name: keyName === '' ? next : keyName,
                  reads: mcpReads.filter((read) => fields.getAll('reads').includes(read)),
                  replaces: [...(replaced?.keyIds ?? [])],
                });
              }}
            >
              <fieldset className="flex flex-col gap-2">
                <legend className="mb-1 text-sm font-medium text-ink">Workspaces to read</legend>
                {context?.workspaces.map(({ id, name, grant }, index) => (
                  <Checkbox
                    key={id}
                    name="workspace"
                    value={id}
                    label={name}
                    defaultChecked={index === 0 && grant === 'admin'}
                    disabled={grant !== 'admin'}
                    {...(grant === 'admin'
                      ? {}
                      : {
                          help: 'Needs the admin role here; ask an account administrator.',
                        })}
                  />
                ))}
                {noneChosen && (
                  <p role="alert" className="text-xs text-fail">
                    Choose at least one workspace.
                  </p>
                )}
              </fieldset>
              <fieldset className="flex flex-col gap-2">
                <legend className="mb-1 text-sm font-medium text-ink">May also read</legend>
                {mcpReads.map((read) => (
                  <Checkbox key={read} name="reads" value={read} {...readTexts[read]} />
                ))}
              </fieldset>
              <SelectField label="Headers" name="form" options={forms} />
              <TextField label="Server name" name="server_name" required defaultValue="weir" maxLength={64}>
                The client shows this name.
              </TextField>
              {former.length > 0 && (
                <SelectField key={former[0]!.name} label="Key" name="key" options={keyChoices(former)}>
                  A replaced key stops working: its client needs the new configuration.
                </SelectField>
              )}
              <TextField label="Key name" name="key_name" maxLength={100} placeholder={next}>
                Keys with another name are not offered for replacement here.
              </TextField>
            </Form>
          </div>
        </Card>
        {create.data === undefined ? <Endpoints /> : <Configurations made={create.data} />}
      </div>
    </Page>
  );
}

function Endpoints() {
  return (
    <Card title="Endpoints">
      <div className="flex flex-col gap-3 p-4 text-sm text-body">
        <p>Clusters (needs a key):</p>
        <Command text={location.origin + mcpPath} />
        <p>Documentation (no key):</p>
        <Command text={location.origin + docsMcpPath} />
      </div>
    </Card>
  );
}

function Configurations({ made }: { readonly made: Made }) {
  return (
    <Card title="Copy one of these now: they are shown only once">
      <div className="flex flex-col gap-4 p-4">
        {made.configurations.map(({ client, text }) => (
          <section key={client} aria-label={clientNames[client]} className="flex flex-col gap-1">
            <h3 className="text-sm font-medium text-ink">{clientNames[client]}</h3>
            <Command text={text} />
          </section>
        ))}
        <TestButton configuration={made.configurations.find(({ client }) => client === 'url')?.text} />
        <p className="text-sm text-muted">
          Created the {made.api_keys.length === 1 ? 'key' : 'keys'}{' '}
          {made.api_keys.map(({ name }) => name).join(', ')}. To revoke access, delete{' '}
          {made.api_keys.length === 1 ? 'it' : 'them'} on the API keys page.
        </p>
      </div>
    </Card>
  );
}

/** Calls the endpoint as a client with this configuration does. */
function TestButton({ configuration }: { readonly configuration: string | undefined }) {
  const [result, setResult] = useState<McpTest | 'running'>();
  if (configuration === undefined) return null;
  return (
    <div className="flex flex-wrap items-center gap-3">
      <Button
        disabled={result === 'running'}
        onClick={() => {
          setResult('running');
          void testMcp(configuration).then(setResult);
        }}
      >
        Test connection
      </Button>
      <span aria-live="polite">
        {result !== undefined && result !== 'running' && (
          <Status kind={result.isOk ? 'ok' : 'fail'} wraps>
            {result.text}
          </Status>
        )}
      </span>
    </div>
  );
}
