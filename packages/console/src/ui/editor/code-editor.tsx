import { autocompletion, closeBrackets, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { bracketMatching, syntaxHighlighting } from '@codemirror/language';
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint';
import { EditorState, type Extension } from '@codemirror/state';
import { EditorView, keymap, lineNumbers, placeholder as placeholderText } from '@codemirror/view';
import { type Ref, useEffect, useImperativeHandle, useRef } from 'react';
import { colours, editorTheme, visibleCharacters } from './editor-theme.ts';

interface CodeEditorProps {
  /** What is edited, for screen readers. */
  readonly label: string;
  readonly value: string;
  readonly onChange?: (text: string) => void;
  /** The language, completion and checks. A new array makes a new editor: keep it in a constant or a memo. */
  readonly extensions?: readonly Extension[];
  readonly placeholder?: string;
  readonly isReadOnly?: boolean;
  /** A field of one line: Enter runs `onSubmit`, and there are no line numbers. */
  readonly isOneLine?: boolean;
  /** Enter in a field of one line, and Mod-Enter everywhere. */
  readonly onSubmit?: () => void;
  readonly className?: string;
  /** Places to underline, with what is wrong there. Keep it in a memo. */
  readonly marks?: readonly EditorMark[];
  readonly handle?: Ref<EditorHandle>;
}

interface EditorMark {
  readonly from: number;
  readonly to: number;
  readonly message: string;
}

export interface EditorHandle {
  /** Moves the cursor and the view to a place of the text. */
  goTo(position: number): void;
}

const none: readonly Extension[] = [];
const noMarks: readonly EditorMark[] = [];

/**
 * An editor of text with a language. It lives in a shadow root: there its styles are constructed sheets, which the
 * policy of the page allows, while elements with styles would need an exception.
 */
export function CodeEditor(props: CodeEditorProps) {
  const { value, extensions = none, isReadOnly = false, isOneLine = false, marks = noMarks } = props;
  const host = useRef<HTMLDivElement>(null);
  const latest = useRef(props);
  latest.current = props;
  const view = useRef<EditorView>(undefined);
  /** What was typed and has not come back as the value yet: a late value must not replace what was typed after it. */
  const typed = useRef<string[]>([]);
  useEffect(() => {
    const element = host.current!;
    const shadow = element.shadowRoot ?? element.attachShadow({ mode: 'open' });
    const { label, placeholder = '' } = latest.current;
    const submit = () => {
      latest.current.onSubmit?.();
      return latest.current.onSubmit !== undefined;
    };
    const editor = new EditorView({
      root: shadow,
      parent: shadow,
      state: EditorState.create({
        doc: latest.current.value,
        extensions: [
          keymap.of([
            { key: 'Mod-Enter', run: submit },
            ...(isOneLine ? [] : [...lintKeymap]),
            ...completionKeymap,
            ...(isOneLine ? [{ key: 'Enter', run: () => submit() || true }] : []),
            ...historyKeymap,
            ...defaultKeymap,
          ]),
          history(),
          closeBrackets(),
          bracketMatching(),
          autocompletion(),
          syntaxHighlighting(colours),
          editorTheme,
          visibleCharacters,
          placeholderText(placeholder),
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ 'aria-label': label }),
          EditorView.updateListener.of((update) => {
            if (!update.docChanged || latest.current.onChange === undefined) return;
            const text = update.state.doc.toString();
            typed.current.push(text);
            latest.current.onChange(text);
          }),
          EditorState.readOnly.of(isReadOnly),
          ...(isOneLine ? [oneLine] : [lineNumbers(), lintGutter()]),
          ...extensions,
        ],
      }),
    });
    view.current = editor;
    return () => editor.destroy();
  }, [extensions, isReadOnly, isOneLine]);
  useEffect(() => {
    const editor = view.current;
    const at = typed.current.lastIndexOf(value);
    typed.current.splice(0, at === -1 ? typed.current.length : at + 1);
    if (at !== -1 || editor === undefined || editor.state.doc.toString() === value) return;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } });
  }, [value]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new editor and a new text need their marks again.
  useEffect(() => {
    const editor = view.current;
    if (editor === undefined || isOneLine) return;
    const { length } = editor.state.doc;
    const diagnostics: Diagnostic[] = marks.map(({ from, to, message }) => ({
      from: Math.min(from, length),
      to: Math.min(to, length),
      message,
      severity: 'error',
    }));
    editor.dispatch(setDiagnostics(editor.state, diagnostics));
  }, [marks, extensions, isReadOnly, isOneLine]);
  useImperativeHandle(props.handle, () => ({
    goTo(position) {
      const editor = view.current;
      if (editor === undefined) return;
      const anchor = Math.min(position, editor.state.doc.length);
      editor.dispatch({ selection: { anchor }, scrollIntoView: true });
      editor.focus();
    },
  }));
  return (
    <div
      ref={host}
      className={`min-w-0 overflow-auto rounded-md border border-control bg-surface focus-within:border-accent ${props.className ?? ''}`}
    />
  );
}

/** Pasted line ends become spaces, so that nothing of the text is lost. */
const oneLine = EditorState.transactionFilter.of((transaction) => {
  if (!transaction.docChanged || transaction.newDoc.lines === 1) return transaction;
  const text = transaction.newDoc.toString().replaceAll('\n', ' ');
  return {
    changes: { from: 0, to: transaction.startState.doc.length, insert: text },
    selection: { anchor: text.length },
  };
});
