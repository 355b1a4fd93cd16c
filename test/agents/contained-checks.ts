/**
 * The rows of the table of agents in containers: those of the other table that look at no process of this machine, but for its own
 * sandbox, and some of containers.
 */
import type { AgentCheck } from "./agent-check.ts";
import { bookChecks } from "./checks/books.ts";
import { choiceChecks } from "./checks/choices.ts";
import { containmentChecks } from "./checks/containment.ts";
import { failureChecks } from "./checks/failures.ts";
import { interruptChecks } from "./checks/interrupts.ts";
import { modeChecks } from "./checks/modes.ts";
import { permissionChecks, sandboxRow } from "./checks/permissions.ts";
import { secretCheck } from "./checks/surroundings.ts";
import { workChecks } from "./checks/work.ts";

export const containedChecks: readonly AgentCheck[] = [
	...workChecks,
	...interruptChecks,
	...permissionChecks.filter(({ row }) => row !== sandboxRow),
	...choiceChecks,
	...modeChecks,
	...failureChecks,
	...bookChecks,
	secretCheck,
	...containmentChecks,
];

/** The row of another platform, whose sessions run as a user that the image does not know. */
export const namelessRow = "answers as a user without a name in the image";
