import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { counted, formatCount } from '../../format/format.ts';
import { visibleText } from '../../format/visible-text.ts';
import { ChangeButton } from '../../session/change-button.tsx';
import { useClusterFormAction } from '../../ui/actions.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Card } from '../../ui/page.tsx';
import { Answer, Command } from '../../ui/states.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { Time } from '../../ui/time.tsx';
import { Holds } from './holds.tsx';
import { MigrationState } from './migration-topics.tsx';
import { choicesOf, heldBack, stateTexts, steps, summaryOf } from './migration-words.ts';
import { type Migration, useMigration } from './use-migration.ts';

/** Topics that are listed with what holds them back; the others are on the page of the topics. */
const shownMax = 50;

/** Moves topics from state to state, and shows what holds them back. */
export function CutOver() {
  const described = useMigration();
  return (
    <Answer of={described} what="describe the migration">
      {(migration) => (
        <div className="flex flex-col gap-4">
          <Steps migration={migration} />
          <p className="text-sm text-body">{summaryOf(migration)}</p>
          <Acts migration={migration} />
          <HeldBack migration={migration} />
        </div>
      )}
    </Answer>
  );
}

/** How many topics are where, in the order in which they go. */
function Steps({ migration: { topics_by_state: counts } }: { readonly migration: Migration }) {
  return (
    <ol aria-label="Steps" className="grid grid-cols-1 gap-2 sm:grid-cols-2 lg:grid-cols-4">
      {steps.map((step, index) => (
        <li key={step} className="rounded-md border border-line bg-surface p-3 text-sm">
          <p className="text-xs text-muted">
            {index + 1}. {step}
          </p>
          <p className="text-xl font-semibold text-ink tabular-nums">{formatCount(counts[step])}</p>
          <p className="text-xs text-muted">{stateTexts[step]}</p>
        </li>
      ))}
    </ol>
  );
}

const acts = {
  forward: {
    operation: 'orbit/auto_migration/start_forwarding',
    label: 'Start forwarding',
    said: 'Agents forward writes now',
    text: 'Agents pass what clients write to these topics on to the source, with the credentials of the migration; the ACLs of this cluster decide first. Point producers here one by one. Transactional producers stay at the source until the cut-over.',
  },
  cutOver: {
    operation: 'orbit/auto_migration/initiate',
    label: 'Cut over',
    said: 'The cut-over is initiated',
    text: 'As soon as nothing holds these topics back, producers wait for a moment, the copies take the rest, and agents serve writes themselves. That is final. If it does not succeed within the time of the mapping, or ten minutes if that has none, agents forward to the source again.',
  },
  abort: {
    operation: 'orbit/auto_migration/abort',
    label: 'Abort',
    said: 'Agents forward writes again',
    text: 'The cut-over ends, and agents forward to the source again. Nothing is lost.',
  },
  rollBack: {
    operation: 'orbit/auto_migration/abort',
    label: 'Stop forwarding',
    said: 'The topics are read-only again',
    text: 'The topics are read-only here again. Point their producers at the source first: what they write here is refused.',
  },
} as const;

type ActName = keyof typeof acts;

function Acts({ migration: { topics } }: { readonly migration: Migration }) {
  const [asked, setAsked] = useState<ActName>();
  const { toForward, toCutOver, toAbort, toRollBack } = choicesOf(topics);
  const chosen = { forward: toForward, cutOver: toCutOver, abort: toAbort, rollBack: toRollBack };
  // One of them is what comes next.
  const next: ActName = toAbort.length > 0 ? 'abort' : toForward.length > 0 ? 'forward' : 'cutOver';
  return (
    <Card title="What you can do">
      <div className="flex flex-wrap items-center gap-2 p-4">
        {(Object.keys(acts) as ActName[]).map((name) => (
          <ChangeButton
            key={name}
            {...(name === next && name !== 'abort' ? { kind: 'primary' as const } : {})}
            disabled={chosen[name].length === 0}
            onClick={() => setAsked(name)}
          >
            {acts[name].label}
          </ChangeButton>
        ))}
        <span className="text-xs text-muted">
          For some topics only, or to hand topics over without a cut-over:
        </span>
        <Command text="weir cli migrate cut-over -topics orders,payments" />
      </div>
      {asked !== undefined && <Ask name={asked} topics={chosen[asked]} onClose={() => setAsked(undefined)} />}
    </Card>
  );
}

interface AskProps {
  readonly name: ActName;
  readonly topics: readonly string[];
  readonly onClose: () => void;
}

function Ask({ name, topics, onClose }: AskProps) {
  const { operation, label, said, text } = acts[name];
  const action = useClusterFormAction(operation, onClose);
  const [first, ...others] = topics;
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={`${label}: ${counted(topics.length, 'topic')}`}
      button={label}
      action={action}
      onConfirm={() =>
        action.run({ topics: [...topics], ...(name === 'rollBack' ? { to: 'replicating' } : {}) }, said)
      }
    >
      <p>{text}</p>
      {first !== undefined && (
        <p>
          <bdi>{visibleText(first)}</bdi>
          {others.length > 0 && ` and ${counted(others.length, 'other topic')}`}
        </p>
      )}
    </ConfirmDialog>
  );
}

function HeldBack({ migration: { topics } }: { readonly migration: Migration }) {
  const { clusterId, pipelineId } = useParams({
    from: '/frame/clusters/$clusterId/pipelines/$pipelineId/cut-over',
  });
  const held = heldBack(topics);
  if (held.length === 0) return null;
  return (
    <Card title={`Held back (${formatCount(held.length)})`}>
      <ul aria-label="Topics that are held back" className="divide-y divide-line">
        {held.slice(0, shownMax).map((topic) => (
          <li key={topic.topic}>
            <div className="flex flex-wrap items-center gap-x-3 px-4 pt-2 text-sm">
              <TextLink
                to="/clusters/$clusterId/pipelines/$pipelineId/topics/$topic"
                params={{ clusterId, pipelineId, topic: topic.topic }}
              >
                <bdi>{visibleText(topic.topic)}</bdi>
              </TextLink>
              <MigrationState topic={topic} />
              {topic.deadline !== undefined && (
                <span className="text-xs text-muted">
                  until <Time of={topic.deadline} />
                </span>
              )}
            </div>
            <Holds of={topic} />
          </li>
        ))}
      </ul>
      {held.length > shownMax && (
        <p className="px-4 py-2 text-xs text-muted">
          {counted(held.length - shownMax, 'other topic')} on the page of the topics.
        </p>
      )}
    </Card>
  );
}
