import type { OutputOf } from '@weir/api/client';
import { aclOperations, aclResourceTypes } from '@weir/core';
import { useState } from 'react';
import { useClusterId, useClusterOperation } from '../../api/use-cluster.ts';
import { useAction } from '../../api/use-operation.ts';
import { visibleText } from '../../format/visible-text.ts';
import { Button } from '../../ui/button.tsx';
import { controlClass, Select } from '../../ui/fields.tsx';
import { textOf } from '../../ui/form.tsx';
import { Card } from '../../ui/page.tsx';
import { Answer, Failure } from '../../ui/states.tsx';
import { Status } from '../../ui/status.tsx';
import { sayWithUndo } from '../../ui/toasts.tsx';
import { AclFormDialog } from './acl-form-dialog.tsx';
import { type AccessQuestion, changeOf, resourceWord, ruleInWords } from './acl-rule.ts';

interface TesterProps {
  /** What a link fills in, perhaps not all of a question. */
  readonly given: { readonly [Name in keyof AccessQuestion]?: string | undefined };
  readonly question: AccessQuestion | undefined;
  readonly onAsk: (question: AccessQuestion) => void;
}

const operationOptions = Object.keys(aclOperations)
  .filter((name) => name !== 'ALL')
  .map((name) => [name, name] as const);
const typeOptions = aclResourceTypes.map((type) => [type, resourceWord(type)] as const);

/** "May User:alice READ topic orders?", decided as agents do. The question is in the URL, so that it can be sent on. */
export function AclTester({ given, question, onAsk }: TesterProps) {
  return (
    <Card title="Test access">
      <form
        // Another question by a link fills the form anew.
        key={JSON.stringify(given)}
        aria-label="Access tester"
        className="flex flex-wrap items-center gap-2 p-4 text-sm"
        onSubmit={(event) => {
          event.preventDefault();
          const fields = new FormData(event.currentTarget);
          const host = textOf(fields, 'host');
          onAsk({
            principal: textOf(fields, 'principal'),
            operation: textOf(fields, 'operation') as AccessQuestion['operation'],
            resource_type: textOf(fields, 'resource_type') as AccessQuestion['resource_type'],
            resource_name: textOf(fields, 'resource_name'),
            ...(host === '' ? {} : { host }),
          });
        }}
      >
        <span>May</span>
        <input
          name="principal"
          aria-label="Principal"
          placeholder="User:alice"
          required
          defaultValue={given.principal}
          className={`${controlClass} max-w-48`}
        />
        <Select
          name="operation"
          aria-label="Operation"
          defaultValue={given.operation ?? 'WRITE'}
          className="max-w-44"
          options={operationOptions}
        />
        <Select
          name="resource_type"
          aria-label="Resource type"
          defaultValue={given.resource_type ?? 'TOPIC'}
          className="max-w-40"
          options={typeOptions}
        />
        <input
          name="resource_name"
          aria-label="Resource name"
          placeholder="orders"
          required
          defaultValue={given.resource_name}
          className={`${controlClass} max-w-56`}
        />
        <span>from</span>
        <input
          name="host"
          aria-label="Host"
          placeholder="any host"
          defaultValue={given.host}
          className={`${controlClass} max-w-36`}
        />
        <Button type="submit" kind="primary">
          Test
        </Button>
      </form>
      {question !== undefined && <Verdict question={question} />}
    </Card>
  );
}

function Verdict({ question }: { readonly question: AccessQuestion }) {
  const answer = useClusterOperation('explain_access', { ...question }, { everyMs: 10_000 });
  return (
    <div className="border-t border-line p-4" aria-live="polite">
      <Answer of={answer} what="explain the access" rows={2}>
        {(data) => (
          <div className="flex flex-col gap-2 text-sm text-body">
            <p className="text-base">
              <Status kind={data.is_allowed ? 'ok' : 'fail'}>
                <strong>{data.is_allowed ? 'Allowed' : 'Denied'}</strong>
              </Status>
            </p>
            <p className="break-words">{visibleText(data.reason)}</p>
            {data.is_allowed !== data.do_rules_allow && !data.is_superuser && (
              <p>
                The rules would {data.do_rules_allow ? 'allow' : 'deny'} it, but ACLs are{' '}
                {data.mode === 'shadow' ? 'in shadow mode' : 'off'}.
              </p>
            )}
            {data.deciding_rule !== null && (
              <p className="break-words">
                Deciding rule: <code className="font-mono text-xs">{ruleInWords(data.deciding_rule)}</code>
              </p>
            )}
            <NearRules rules={data.near_rules} />
            <TurnRound question={question} answer={data} />
          </div>
        )}
      </Answer>
    </div>
  );
}

function NearRules({ rules }: { readonly rules: OutputOf<'explain_access'>['near_rules'] }) {
  if (rules.length === 0) return null;
  return (
    <div>
      <p>Rules that differ in one field:</p>
      <ul className="ml-4 list-disc">
        {rules.map(({ rule, differs_in }) => (
          <li key={JSON.stringify(rule)} className="break-words">
            <code className="font-mono text-xs">{ruleInWords(rule)}</code> – different {differs_in}
          </li>
        ))}
      </ul>
    </div>
  );
}

interface TurnRoundProps {
  readonly question: AccessQuestion;
  readonly answer: OutputOf<'explain_access'>;
}

/** The change of rules that turns the answer round, as a button. */
function TurnRound({ question, answer }: TurnRoundProps) {
  const clusterId = useClusterId();
  const [isReviewing, setReviewing] = useState(false);
  const create = useAction('virtual_clusters/acls/create');
  const remove = useAction('virtual_clusters/acls/delete');
  const change = changeOf(question, answer);
  if (change === undefined) return null;
  const { kind, rule } = change;
  const target = { virtual_cluster_id: clusterId };
  const words = ruleInWords(rule);
  const add = () => create.mutate({ ...target, acl: rule });
  const take = () =>
    remove.mutate(
      { ...target, acls: [rule] },
      { onSuccess: () => sayWithUndo(`Deleted: ${words}`, () => add()) },
    );
  const error = create.error ?? remove.error;
  return (
    <div className="flex flex-wrap items-center gap-2 border-t border-line pt-3">
      <p className="min-w-0 flex-1 break-words">
        {kind === 'create'
          ? 'This rule would allow it: '
          : 'Deleting the deciding rule may change the result: '}
        <code className="font-mono text-xs">{words}</code>
      </p>
      {kind === 'create' ? (
        <Button onClick={() => setReviewing(true)}>Review and create</Button>
      ) : (
        <Button onClick={take}>Delete this ACL</Button>
      )}
      {isReviewing && <AclFormDialog given={rule} onClose={() => setReviewing(false)} />}
      {error !== null && <Failure what="change the ACLs" error={error} />}
    </div>
  );
}
