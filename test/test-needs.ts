/**
 * What a test file needs and how it is run, as heads of files say it: `Needs: <program>.` in the file or in a module of the
 * tests that it imports, `Long: <reason>.` and `Alone: <reason>.` in the file itself. So there is no list to be kept.
 */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize, resolve } from "node:path";
import { projectRoot } from "#shared/project-root.ts";

export interface TestNeeds {
	/** What it needs beside git, Node.js and npm: programs of the machine, or `agents`, which are downloaded. */
	readonly programs: readonly string[];
	/** Why it is left out by `npm test`, or takes longer than 20 s; absent for a test that is quick. */
	readonly long?: string | undefined;
	/** Why nothing else may run beside it. */
	readonly alone?: string | undefined;
}

interface Module {
	readonly head: string;
	/** Modules of the tests, relative to the project. */
	readonly imports: readonly string[];
}

const importing =
	/^(?:import|export)\s(?!type\s)[^;]*?\bfrom "(\.[^"]+)"|^import "(\.[^"]+)"|\bimport\("(\.[^"]+)"\)/gms;

const modules = new Map<string, Module>();

/** @param file Relative to the project. */
export function needsOf(file: string): TestNeeds {
	const { head } = moduleAt(file);
	const programs = [...reachedFrom(file)].flatMap((path) => programsIn(moduleAt(path).head));
	return { programs: [...new Set(programs)].toSorted(), long: reasonIn(head, "Long"), alone: reasonIn(head, "Alone") };
}

/** Whether it is part of `npm test`. */
export function isQuick({ programs, long }: TestNeeds): boolean {
	return programs.length === 0 && long === undefined;
}

/** The module and every module of the tests that it imports, directly or not. */
function reachedFrom(file: string): Set<string> {
	const reached = new Set([file]);
	// A set that grows while it is read is read to its end.
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

/** Up to the end of the sentence. */
function reasonIn(head: string, tag: "Long" | "Alone"): string | undefined {
	return new RegExp(`\\b${tag}: (.+?)\\.(?=\\s|$)`).exec(head)?.[1];
}
