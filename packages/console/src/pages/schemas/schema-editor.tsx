import type { OutputOf } from '@weir/api/client';
import { ApiError } from '@weir/api/client';
import { type ReactNode, useMemo, useRef, useState } from 'react';
import { problemOf } from '../../api/client.ts';
import { useClusterId } from '../../api/use-cluster.ts';
import { useAction, useOperation } from '../../api/use-operation.ts';
import { visibleText } from '../../format/visible-text.ts';
import { Button } from '../../ui/button.tsx';
import { CodeEditor, type EditorHandle } from '../../ui/editor/code-editor.tsx';
import { Card } from '../../ui/page.tsx';
import { Failure } from '../../ui/states.tsx';
import { Status } from '../../ui/status.tsx';
import { useDebounced } from '../../ui/use-debounced.ts';
import { problemOfText, problemsOfViolations, type SchemaProblem } from './problems.ts';
import { type Reference, ReferencesField } from './references-field.tsx';
import { languageOf, type SchemaType } from './schema-text.ts';

interface SchemaEditorProps {
  readonly subject: string;
  readonly type: SchemaType;
  readonly initialText: string;
  readonly initialReferences: readonly Reference[];
  readonly onRegistered: (made: OutputOf<'register_schema'>) => void;
  /** Fields above the editor. */
  readonly children?: ReactNode;
}

const checkDelayMs = 350;

/** Edits a schema; while it is typed, the registry says whether it could be the next version and what hinders it. */
export function SchemaEditor(props: SchemaEditorProps) {
  const clusterId = useClusterId();
  const { subject, type, onRegistered, children } = props;
  const [text, setText] = useState(props.initialText);
  const [references, setReferences] = useState(props.initialReferences);
  const register = useAction('register_schema');
  const editor = useRef<EditorHandle>(null);
  const given = { virtual_cluster_id: clusterId, subject, schema: text, schema_type: type };
  const complete = references.filter((one) => one.name !== '' && one.subject !== '');
  const key = JSON.stringify({ ...given, references: complete });
  const settled = useDebounced(key, checkDelayMs);
  const check = useOperation('check_schema_compatibility', JSON.parse(settled), {
    isEnabled: text.trim() !== '' && subject !== '',
  });
  const isCurrent = settled === key && !check.isFetching;
  const problems = useMemo(() => {
    const { schema } = JSON.parse(settled) as { schema: string };
    return problemsOf(type, schema, check.data, check.error);
  }, [type, settled, check.data, check.error]);
  const marks = useMemo(
    () => problems.flatMap(({ place, message }) => (place === undefined ? [] : [{ ...place, message }])),
    [problems],
  );
  const canRegister = isCurrent && check.data?.is_compatible === true && !check.isError;
  return (
    <div className="grid items-start gap-4 md:grid-cols-[minmax(0,2fr)_minmax(18rem,1fr)]">
      <div className="flex min-w-0 flex-col gap-3">
        {children}
        <CodeEditor
          label="Schema"
          value={text}
          onChange={setText}
          extensions={languageOf(type)}
          marks={marks}
          handle={editor}
          className="min-h-72"
        />
        <ReferencesField references={references} onChange={setReferences} />
      </div>
      <Card title="Compatibility">
        <div className="flex flex-col gap-3 p-4" aria-live="polite">
          <Verdict
            isCurrent={isCurrent}
            isEmpty={text.trim() === '' || subject === ''}
            answer={check.data}
            error={check.error}
            problemCount={problems.length}
          />
          {problems.length > 0 && (
            <ol aria-label="Problems" className="flex flex-col gap-2">
              {problems.map(({ message, where, place }) => (
                <li key={`${where} ${message}`} className="flex min-w-0 gap-2 text-sm">
                  {place === undefined ? (
                    <span className="font-mono text-xs text-muted">{where}</span>
                  ) : (
                    <button
                      type="button"
                      onClick={() => editor.current?.goTo(place.from)}
                      className="min-h-6 min-w-6 self-start rounded px-1 font-mono text-xs text-accent underline"
                    >
                      {where}
                    </button>
                  )}
                  <span className="min-w-0 flex-1 break-words text-body">{visibleText(message)}</span>
                </li>
              ))}
            </ol>
          )}
          {register.error !== null && <Failure what="register the schema" error={register.error} />}
          <Button
            kind="primary"
            disabled={!canRegister || register.isPending || check.data?.is_registered === true}
            onClick={() => register.mutate({ ...given, references: complete }, { onSuccess: onRegistered })}
          >
            {check.data?.compared_version == null ? 'Register schema' : 'Register new version'}
          </Button>
        </div>
      </Card>
    </div>
  );
}

function problemsOf(
  type: SchemaType,
  text: string,
  answer: OutputOf<'check_schema_compatibility'> | undefined,
  error: unknown,
): readonly SchemaProblem[] {
  if (isTextProblem(error)) return [problemOfText(type, text, problemOf(error).message)];
  return answer === undefined || answer.is_compatible || error !== null
    ? []
    : problemsOfViolations(type, text, answer.violations);
}

/** The registry read the text and refused it; other errors say nothing of the text. */
const isTextProblem = (error: unknown): boolean =>
  error instanceof ApiError && ['invalid_schema', 'invalid_request', 'not_found'].includes(error.code);

interface VerdictProps {
  readonly isCurrent: boolean;
  readonly isEmpty: boolean;
  readonly answer: OutputOf<'check_schema_compatibility'> | undefined;
  readonly error: unknown;
  readonly problemCount: number;
}

function Verdict({ isCurrent, isEmpty, answer, error, problemCount }: VerdictProps) {
  if (isEmpty) return <p className="text-sm text-muted">Enter a subject and a schema.</p>;
  if (!isCurrent) return <Status kind="muted">checking …</Status>;
  if (isTextProblem(error)) return <Status kind="fail">Invalid schema</Status>;
  if (error !== null) return <Failure what="check the schema" error={error} />;
  if (answer === undefined) return <Status kind="muted">checking …</Status>;
  const { compatibility_level: level, compared_version: version } = answer;
  if (answer.is_registered) return <Status kind="info">The subject already has this schema</Status>;
  if (version === null) return <Status kind="ok">Valid schema; it will be version 1</Status>;
  if (answer.is_compatible)
    return (
      <>
        <Status kind="ok">Compatible</Status>
        <p className="text-sm text-muted">
          Level {level}, compared with {level.endsWith('TRANSITIVE') ? 'all versions' : `version ${version}`}.
        </p>
      </>
    );
  return (
    <>
      <Status kind="fail">Not compatible with version {version}</Status>
      <p className="text-sm text-muted">
        Level {level}: {problemCount === 1 ? '1 problem prevents' : `${problemCount} problems prevent`} it:
      </p>
    </>
  );
}
