import { yaml } from '@codemirror/lang-yaml';
import type { Extension } from '@codemirror/state';
import { useParams } from '@tanstack/react-router';
import type { OutputOf } from '@weir/api/client';
import { pipelineTypes } from '@weir/api/pipeline-types';
import { useMemo, useRef, useState } from 'react';
import { useAction, useOperation } from '../../api/use-operation.ts';
import { counted } from '../../format/format.ts';
import { visibleText } from '../../format/visible-text.ts';
import { Button } from '../../ui/button.tsx';
import { CodeEditor, type EditorHandle } from '../../ui/editor/code-editor.tsx';
import { TextDiff } from '../../ui/editor/text-diff.tsx';
import { Card } from '../../ui/page.tsx';
import { Answer, Failure } from '../../ui/states.tsx';
import { Status } from '../../ui/status.tsx';
import { say } from '../../ui/toasts.tsx';
import { useDebounced } from '../../ui/use-debounced.ts';
import { changesOf, type Draft, draftOf, inputOf, isEmptyDraft, isSameDraft } from './draft.ts';
import { offsetOf } from './offset-of.ts';
import { PartsBar } from './parts-bar.tsx';
import { Templates, templatesOf } from './templates.tsx';
import { Trial } from './trial.tsx';

type Described = OutputOf<'describe_pipeline'>;
type Problem = OutputOf<'check_pipeline_configuration'>['problems'][number];

export const asYaml: readonly Extension[] = [yaml()];
const checkDelayMs = 350;

/** The configuration of a pipeline: checked while it is typed, and compared with the deployed one before it counts. */
export function PipelineEditor() {
  const { clusterId, pipelineId } = useParams({ from: '/frame/clusters/$clusterId/pipelines/$pipelineId/' });
  const target = { virtual_cluster_id: clusterId, pipeline_id: pipelineId };
  const described = useOperation('describe_pipeline', target);
  return (
    <Answer of={described} what="describe the pipeline">
      {(now) => <Editor key={pipelineId} target={target} described={now} />}
    </Answer>
  );
}

interface EditorProps {
  readonly target: { readonly virtual_cluster_id: string; readonly pipeline_id: string };
  readonly described: Described;
}

function Editor({ target, described }: EditorProps) {
  const { pipeline_overview: pipeline, pipeline_configurations: configurations } = described;
  const deployed = configurations.find(({ id }) => id === pipeline.deployed_configuration_id);
  const deployedDraft = draftOf(deployed);
  const [draft, setDraft] = useState(() => draftOf(deployed ?? configurations.at(-1)));
  const [at, setAt] = useState(0);
  const [isReviewing, setReviewing] = useState(false);
  const editor = useRef<EditorHandle>(null);
  const settled = useDebounced(draft, checkDelayMs);
  const isEmpty = isEmptyDraft(draft);
  const part = draft.parts?.[at];
  const text = part?.yaml ?? draft.yaml ?? '';
  const setText = (yaml: string) =>
    setDraft(({ parts }) =>
      parts === undefined
        ? { yaml }
        : { parts: parts.map((one, index) => (index === at ? { ...one, yaml } : one)) },
    );
  const check = useOperation(
    'check_pipeline_configuration',
    {
      virtual_cluster_id: target.virtual_cluster_id,
      pipeline_type: pipeline.type,
      ...checkedInputOf(settled),
    },
    { isEnabled: !isEmptyDraft(settled) },
  );
  const isCurrent = isSameDraft(settled, draft) && !check.isFetching;
  const problems = check.data?.problems;
  const warnings = check.data?.warnings ?? [];
  const partName = part?.name;
  const checkedText = settled.parts?.[at]?.yaml ?? settled.yaml ?? '';
  const marks = useMemo(
    () =>
      (problems ?? [])
        .filter((problem) => problem.part === partName)
        .map(({ line, column, message }) => {
          const from = offsetOf(checkedText, line, column);
          const lineEnd = checkedText.indexOf('\n', from);
          return { from, to: Math.max(from + 1, lineEnd === -1 ? checkedText.length : lineEnd), message };
        }),
    [problems, checkedText, partName],
  );
  const isValid = !isEmpty && isCurrent && check.data?.problem_count === 0;
  const isDeployed = isSameDraft(draft, deployedDraft);
  if (isReviewing)
    return (
      <Review
        target={target}
        before={deployedDraft}
        after={draft}
        onBack={() => setReviewing(false)}
        onDeployed={() => setReviewing(false)}
      />
    );
  const goTo = ({ part: name, line, column }: Problem) => {
    const index = draft.parts?.findIndex((one) => one.name === name) ?? -1;
    if (index === -1 || index === at) return editor.current?.goTo(offsetOf(text, line, column));
    // The other part is in the editor with the next drawing; its text is where the problem is marked.
    return setAt(index);
  };
  const listed = (label: string, found: NonNullable<typeof problems>) => (
    <ol aria-label={label} className="flex flex-col gap-2">
      {found.map((problem) => (
        <li
          key={`${problem.part} ${problem.line} ${problem.column} ${problem.message}`}
          className="flex min-w-0 gap-2 text-sm"
        >
          {(draft.parts === undefined || problem.part !== undefined) && (
            <button
              type="button"
              onClick={() => goTo(problem)}
              className="min-h-6 min-w-6 self-start rounded px-1 font-mono text-xs text-accent underline"
            >
              {problem.part !== undefined && `${visibleText(problem.part)} `}
              {problem.line}:{problem.column}
            </button>
          )}
          <span className="min-w-0 flex-1 break-words text-body">{visibleText(problem.message)}</span>
        </li>
      ))}
    </ol>
  );
  const templates = templatesOf(pipeline.type);
  return (
    <div className="grid items-start gap-4 md:grid-cols-[minmax(0,2fr)_minmax(18rem,1fr)]">
      <div className="flex min-w-0 flex-col gap-2">
        {pipelineTypes[pipeline.type].hasParts && (draft.parts !== undefined || !isEmpty) && (
          <Parts draft={draft} at={at} onGo={setAt} onChange={setDraft} />
        )}
        <CodeEditor
          key={partName}
          label={partName === undefined ? 'Configuration' : `Part ${partName}`}
          value={text}
          onChange={setText}
          extensions={asYaml}
          marks={isEmpty ? noMarks : marks}
          handle={editor}
          placeholder={pipeline.type === 'data_lake' ? 'source_clusters: …' : 'input: …'}
          className="min-h-96"
        />
      </div>
      <div className="flex min-w-0 flex-col gap-4">
        {isEmpty && templates.length > 0 && <Templates of={templates} onChoose={setText} />}
        <Card title="Problems">
          <div className="flex flex-col gap-3 p-4" aria-live="polite">
            {isEmpty ? (
              <p className="text-sm text-muted">Enter a configuration in YAML.</p>
            ) : check.isError ? (
              <Failure what="check the configuration" error={check.error} onRetry={() => check.refetch()} />
            ) : !isCurrent || problems === undefined ? (
              <Status kind="muted">checking …</Status>
            ) : problems.length === 0 ? (
              <>
                <Status kind="ok">Valid configuration</Status>
                {warnings.length > 0 && listed('Warnings', warnings)}
              </>
            ) : (
              <>
                <Status kind="fail">{counted(check.data!.problem_count, 'problem')}</Status>
                {listed('Problems', problems)}
              </>
            )}
            <Button kind="primary" disabled={!isValid || isDeployed} onClick={() => setReviewing(true)}>
              Review and deploy
            </Button>
            {!isEmpty && isDeployed && (
              <p className="text-sm text-muted">No changes: this configuration is deployed.</p>
            )}
          </div>
        </Card>
        {pipeline.type === 'bento' && (
          <Trial clusterId={target.virtual_cluster_id} yaml={text} isValid={isValid} />
        )}
      </div>
    </div>
  );
}

/** Parts without any text yet say nothing, and the control plane takes none of them. */
function checkedInputOf(draft: Draft) {
  const { parts } = draft;
  return inputOf(parts === undefined ? draft : { parts: parts.filter(({ yaml }) => yaml.trim() !== '') });
}

interface PartsProps {
  readonly draft: Draft;
  readonly at: number;
  readonly onGo: (at: number) => void;
  readonly onChange: (draft: Draft) => void;
}

/** The parts of a configuration, or the way to them. */
function Parts({ draft, at, onGo, onChange }: PartsProps) {
  if (draft.parts !== undefined)
    return <PartsBar parts={draft.parts} at={at} onGo={onGo} onChange={(parts) => onChange({ parts })} />;
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Button onClick={() => onChange({ parts: [{ name: 'main', yaml: draft.yaml ?? '' }] })}>
        Split into parts
      </Button>
      <p className="min-w-0 flex-1 basis-60 text-xs text-muted">
        For instance the source clusters in one part, and each table in one of its own.
      </p>
    </div>
  );
}

const noMarks: readonly [] = [];

interface ReviewProps {
  readonly target: EditorProps['target'];
  readonly before: Draft;
  readonly after: Draft;
  readonly onBack: () => void;
  readonly onDeployed: () => void;
}

/** What deploying would change. */
function Review({ target, before, after, onBack, onDeployed }: ReviewProps) {
  const create = useAction('create_pipeline_configuration');
  const change = useAction('change_pipeline_state');
  const deploy = () =>
    create.mutate(
      { ...target, ...checkedInputOf(after) },
      {
        onSuccess: ({ configuration_id }) =>
          change.mutate(
            { ...target, deployed_configuration_id: configuration_id },
            {
              onSuccess: () => {
                say('Deployed the configuration');
                onDeployed();
              },
            },
          ),
      },
    );
  return (
    <div className="flex flex-col gap-3">
      <h2 className="text-base font-medium text-ink">
        {isEmptyDraft(before) ? 'Configuration to deploy' : 'Changes to deploy'}
      </h2>
      {changesOf(before, after).map((change) => (
        <div key={change.part} className="flex min-w-0 flex-col gap-1">
          {change.part !== undefined && (
            <h3 className="font-mono text-xs text-muted">{visibleText(change.part)}</h3>
          )}
          <TextDiff
            label={
              change.part === undefined
                ? 'Changes to the deployed configuration'
                : `Changes to part ${visibleText(change.part)}`
            }
            before={change.before}
            after={change.after}
            extensions={asYaml}
          />
        </div>
      ))}
      {create.error !== null && <Failure what="store the configuration" error={create.error} />}
      {change.error !== null && (
        <Failure what="deploy the configuration, which is stored as a version" error={change.error} />
      )}
      <div className="flex gap-2">
        <Button onClick={onBack}>Back to editor</Button>
        <Button kind="primary" disabled={create.isPending || change.isPending} onClick={deploy}>
          Deploy
        </Button>
      </div>
    </div>
  );
}
