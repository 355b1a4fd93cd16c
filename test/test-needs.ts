/**
 * Reads what a test file needs and how it is run from the heads of files: `Needs: <program>.` in the file or in a
 * module of the tests that it imports, `Long: <reason>.`, `Night: <reason>.` and `Alone: <reason>.` in the file itself. Each end-to-end test
 * starts platforms, so `npm test` has only those that say `Main: <what it shows>.`. So no separate list has to be
 * maintained.
 */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize, resolve } from "node:path";
import { projectRoot } from "#shared/base/project-root.ts";

export interface TestNeeds {
	/** The requirements beside git, Node.js and npm: programs of the machine, or `agents`, which are downloaded. */
	readonly programs: readonly string[];
	/** The reason why `npm test` omits it, or why it takes longer than 20 s; absent for a quick test. */
	readonly long?: string | undefined;
	/** Whether it is one of the main end-to-end tests, or no end-to-end test. */
	readonly isMain: boolean;
	/** The reason why only `npm run test:night` runs it. */
	readonly night?: string | undefined;
	/** The reason why nothing else may run beside it. */
	readonly alone?: string | undefined;
}

interface Module {
	readonly head: string;
	/** The imported modules of the tests, relative to the project. */
	readonly imports: readonly string[];
}

const importing =
	/^(?:import|export)\s(?!type\s)[^;]*?\bfrom "(\.[^"]+)"|^import "(\.[^"]+)"|\bimport\("(\.[^"]+)"\)/gms;

const modules = new Map<string, Module>();

/** Returns the needs of a file. @param file A path relative to the project. */
export function needsOf(file: string): TestNeeds {
	const { head } = moduleAt(file);
	const programs = [...reachedFrom(file)].flatMap((path) => programsIn(moduleAt(path).head));
	return {
		programs: [...new Set(programs)].toSorted(),
		long: reasonIn(head, "Long"),
		isMain: !file.startsWith("test/e2e/") || reasonIn(head, "Main") !== undefined,
		night: reasonIn(head, "Night"),
		alone: reasonIn(head, "Alone"),
	};
}

/** Whether the test is part of `npm test`. */
export function isQuick({ programs, long, night, isMain }: TestNeeds): boolean {
	return programs.length === 0 && long === undefined && night === undefined && isMain;
}

/** Returns the module and every module of the tests that it imports, directly or indirectly. */
function reachedFrom(file: string): Set<string> {
	const reached = new Set([file]);
	// The iteration over a growing set also visits the added members.
	for (const path of reached) for (const imported of moduleAt(path).imports) reached.add(imported);
	return reached;
}

function moduleAt(path: string): Module {
	const known = modules.get(path);
	if (known) return known;
	const text = readFileSync(resolve(projectRoot, path), "utf8");
	const [, comment = ""] = /^\/\*\*(.*?)\*\//s.exec(text) ?? [];
	const imports = [...text.matchAll(importing)]
		.map(([, from, alone, later]) => normalize(join(dirname(path), from ?? alone ?? later ?? "")))
		.filter((imported) => imported.startsWith("test/") && existsSync(join(projectRoot, imported)));
	const read = { head: comment.replaceAll(/\s*\n \*\s?/g, " "), imports };
	modules.set(path, read);
	return read;
}

function programsIn(head: string): string[] {
	return [...head.matchAll(/\bNeeds: ([\w-]+)\.(?=\s|$)/g)].map(([, program = ""]) => program);
}

/** Returns the reason behind a tag, up to the end of the sentence. */
function reasonIn(head: string, tag: "Long" | "Night" | "Main" | "Alone"): string | undefined {
	return new RegExp(`\\b${tag}: (.+?)\\.(?=\\s|$)`).exec(head)?.[1];
}
