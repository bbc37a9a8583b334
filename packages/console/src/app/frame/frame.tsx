import { Outlet, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useContextOfCaller } from '../../session/context.ts';
import { TaskTray } from '../../tasks/task-tray.tsx';
import { Answer } from '../../ui/states.tsx';
import { CommandPalette } from './command-palette.tsx';
import { Header } from './header.tsx';
import { ShortcutsDialog } from './shortcuts-dialog.tsx';
import { Sidebar } from './sidebar.tsx';

/** The frame of every page: where one is, where one can go, and the page. */
export function Frame() {
  const context = useContextOfCaller();
  const { clusterId } = useParams({ strict: false });
  const [isMenuOpen, setMenuOpen] = useState(false);
  return (
    <div className="flex min-h-dvh">
      <a
        href="#content"
        className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50 focus:rounded-md focus:bg-raised focus:px-3 focus:py-1.5 focus:shadow-popover"
      >
        Skip to content
      </a>
      <Sidebar
        context={context.data}
        clusterId={clusterId}
        isOpen={isMenuOpen}
        onClose={() => setMenuOpen(false)}
      />
      <div className="flex min-w-0 flex-1 flex-col">
        <Header context={context.data} clusterId={clusterId} onMenu={() => setMenuOpen(true)} />
        <main
          id="content"
          tabIndex={-1}
          className="min-w-0 flex-1 pb-[calc(var(--tray,0px)+var(--toasts,0px))] outline-none"
        >
          <Answer of={context} what="load your account">
            {() => <Outlet />}
          </Answer>
        </main>
      </div>
      <TaskTray />
      <ShortcutsDialog />
      <CommandPalette context={context.data} clusterId={clusterId} />
    </div>
  );
}
