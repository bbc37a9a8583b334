import { syntaxHighlighting } from '@codemirror/language';
import { unifiedMergeView } from '@codemirror/merge';
import { EditorState, type Extension } from '@codemirror/state';
import { EditorView, lineNumbers } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import { visibleLines } from '../../format/visible-text.ts';
import { colours, editorTheme } from './editor-theme.ts';

interface TextDiffProps {
  /** What is compared, for screen readers. */
  readonly label: string;
  readonly before: string;
  readonly after: string;
  /** The language. Keep it in a constant or a memo. */
  readonly extensions: readonly Extension[];
}

/** Lines beside a change that stay, and how many in a row are worth to hide. */
const collapsed = { margin: 4, minSize: 8 } as const;

/** Two texts as one: lines that went are red, lines that came are green, and long equal parts are folded. */
export function TextDiff({ label, before, after, extensions }: TextDiffProps) {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = host.current!;
    const shadow = element.shadowRoot ?? element.attachShadow({ mode: 'open' });
    const view = new EditorView({
      root: shadow,
      parent: shadow,
      state: EditorState.create({
        doc: visibleLines(after),
        extensions: [
          lineNumbers(),
          syntaxHighlighting(colours),
          editorTheme,
          diffTheme,
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ 'aria-label': label }),
          EditorState.readOnly.of(true),
          unifiedMergeView({
            original: visibleLines(before),
            mergeControls: false,
            collapseUnchanged: collapsed,
          }),
          ...extensions,
        ],
      }),
    });
    return () => view.destroy();
  }, [label, before, after, extensions]);
  return <div ref={host} className="min-w-0 overflow-auto rounded-md border border-line bg-surface" />;
}

const diffTheme = EditorView.theme({
  '.cm-changedLine, .cm-insertedLine': { backgroundColor: 'var(--ok-soft) !important' },
  '.cm-deletedChunk, .cm-deletedLine': { backgroundColor: 'var(--fail-soft) !important' },
  '.cm-changedText': { background: 'none !important' },
  '.cm-deletedChunk .cm-deletedText': { background: 'none !important' },
  '.cm-changedLineGutter': { backgroundColor: 'var(--ok) !important' },
  '.cm-deletedLineGutter': { backgroundColor: 'var(--fail) !important' },
  '.cm-collapsedLines': {
    background: 'var(--n-3) !important',
    color: 'var(--n-11) !important',
    padding: '2px 10px',
  },
});
