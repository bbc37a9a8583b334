import { clientQuotas } from '@weir/core';
import { useState } from 'react';
import { Checkbox, SelectField, TextField } from '../../../ui/fields.tsx';
import { FormDialog } from '../../../ui/form.tsx';
import {
  type EntityKind,
  type EntityQuotas,
  entityText,
  keyOfEntity,
  keysOf,
  kindOf,
  parseQuota,
  type QuotaEntity,
  type QuotaValues,
  quotaProblem,
  quotaText,
} from './quota-text.ts';
import { ReviewQuotas } from './review-quotas.tsx';

interface QuotaDialogProps {
  /** Those to change; `undefined` for new ones. */
  readonly quotas: EntityQuotas | undefined;
  /** All quotas, to find those that the chosen entity already has. */
  readonly others: readonly EntityQuotas[];
  readonly onClose: () => void;
}

const kinds: readonly (readonly [EntityKind, string])[] = [
  ['user', 'User'],
  ['client-id', 'Client id'],
  ['user and client-id', 'User and client id'],
  ['ip', 'IP address'],
];

const partsOf: Readonly<Record<EntityKind, QuotaEntity[number]['type'][]>> = {
  user: ['user'],
  'client-id': ['client-id'],
  'user and client-id': ['user', 'client-id'],
  ip: ['ip'],
};

const labels = { user: 'User', 'client-id': 'Client id', ip: 'IP address' } as const;

type Names = Readonly<Record<QuotaEntity[number]['type'], string | null>>;

/** Whose quotas, and which. What is empty is unlimited. The change is reviewed before it is made. */
export function QuotaDialog({ quotas: given, others, onClose }: QuotaDialogProps) {
  const [kind, setKind] = useState<EntityKind>(given === undefined ? 'user' : kindOf(given.entity));
  const [names, setNames] = useState<Names>({ user: '', 'client-id': '', ip: '' });
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>(() => textsOf(given?.quotas ?? {}));
  const [isReviewed, setReviewed] = useState(false);
  const entity = given?.entity ?? partsOf[kind].map((type) => ({ type, name: names[type] }));
  const keys = keysOf(kind);
  const isNamed = entity.every(({ name }) => name !== '');
  const after: QuotaValues = Object.fromEntries(
    keys.flatMap((key) => {
      const value = parseQuota(key, typed[key] ?? '');
      return value === undefined ? [] : [[key, value]];
    }),
  );
  const same = others.find((one) => keyOfEntity(one.entity) === keyOfEntity(entity));
  const isTaken = given === undefined && same !== undefined;
  const before = given?.quotas ?? {};
  const isReady =
    isNamed &&
    !isTaken &&
    keys.every((key) => quotaProblem(key, typed[key] ?? '') === undefined) &&
    keys.some((key) => before[key] !== after[key]);
  if (isReviewed)
    return (
      <ReviewQuotas
        entity={entity}
        before={before}
        after={after}
        onClose={() => setReviewed(false)}
        onDone={onClose}
      />
    );
  return (
    <FormDialog
      title={given === undefined ? 'Create quota' : `Quotas of ${entityText(given.entity)}`}
      description="A quota holds at each agent. Clients beyond it are throttled, and nothing is refused."
      button="Review"
      what="set the quota"
      action={{ isPending: !isReady, error: null }}
      onClose={onClose}
      onSubmit={() => setReviewed(true)}
    >
      {given === undefined && (
        <>
          <SelectField
            label="Quota of"
            name="kind"
            value={kind}
            onChange={({ target }) => setKind(target.value as EntityKind)}
            options={kinds}
          />
          {partsOf[kind].map((type) => (
            <EntityName
              key={type}
              type={type}
              name={names[type]}
              onName={(name) => setNames((now) => ({ ...now, [type]: name }))}
            />
          ))}
          {isTaken && (
            <p role="alert" className="text-xs text-fail">
              {entityText(entity)} has quotas already; change those.
            </p>
          )}
        </>
      )}
      {keys.map((key) => (
        <TextField
          key={key}
          label={clientQuotas[key].title}
          name={key}
          problem={quotaProblem(key, typed[key] ?? '')}
          spellCheck={false}
          placeholder="unlimited"
          value={typed[key] ?? ''}
          onText={(text) => setTyped((now) => ({ ...now, [key]: text }))}
        >
          {clientQuotas[key].doc}
        </TextField>
      ))}
    </FormDialog>
  );
}

function textsOf(quotas: QuotaValues): Record<string, string> {
  return Object.fromEntries(
    keysOf('user')
      .concat(keysOf('ip'))
      .flatMap((key) => {
        const value = quotas[key];
        return value === undefined ? [] : [[key, quotaText(key, value)]];
      }),
  );
}

interface EntityNameProps {
  readonly type: QuotaEntity[number]['type'];
  readonly name: string | null;
  readonly onName: (name: string | null) => void;
}

/** A name, or all that have no quota of their own. */
function EntityName({ type, name, onName }: EntityNameProps) {
  const label = labels[type];
  return (
    <div className="flex flex-col gap-1.5">
      <TextField
        label={label}
        name={type}
        disabled={name === null}
        maxLength={1024}
        spellCheck={false}
        value={name ?? ''}
        onText={onName}
      >
        {type === 'user' ? 'The name of a credential, without User:.' : undefined}
      </TextField>
      <Checkbox
        label={`Default of every ${type === 'ip' ? label : label.toLowerCase()} without a quota of its own`}
        checked={name === null}
        onChange={({ target }) => onName(target.checked ? null : '')}
      />
    </div>
  );
}
