/** Judges how large the change of a pull request is, and what it touches. Pure. */
import type { ConfidenceHints, Proof } from "#shared/contracts/git/confidence.ts";
import type { FileEvidence } from "../../providers/git-provider.ts";
import { type ChangeFacts, changeFactors, type Factor, type FactorName } from "../formula/factors.ts";
import type { PathCategories } from "../formula/path-categories.ts";
import { boundedProofs, type Finding, quoted } from "./finding.ts";

/** The files of a change, and whether there are more than the provider showed. */
interface ShownFiles {
	readonly files: readonly FileEvidence[];
	readonly more: boolean;
}

/** The value of each factor for files that nobody has seen. */
const unseen: Readonly<Partial<Record<FactorName, number>>> = { size: 2, category: 3, dependencies: 3, files: 4 };

/** Returns the findings. @param hints The caller's facts; each factor has the lower of both values. */
export function changeFindings(shown: ShownFiles, hints: ConfidenceHints, paths: PathCategories): Finding[] {
	const { files, more } = shown;
	const kinds = files.map((file) => ({ file, categories: categoriesOf(file, paths) }));
	const dependencies = files.filter((file) => namesOf(file).some((path) => paths.isDependencyFile(path)));
	const facts: ChangeFacts = {
		coverage_delta: hints.coverage_delta,
		lines_changed: files.reduce((sum, { additions, deletions }) => sum + amount(additions) + amount(deletions), 0),
		files_changed: files.length,
		has_dependency_changes: dependencies.length > 0,
		change_categories: [...new Set(kinds.flatMap(({ categories }) => categories))],
	};
	const said = new Map(changeFactors(saidFacts(hints, facts)).map(({ name, tenths }) => [name, tenths]));
	const changesChecks = kinds.some(({ categories }) => categories.includes("ci"));
	const proofs = proofsOf(facts, kinds, dependencies);
	return changeFactors(facts).map(({ name, tenths }: Factor) => {
		const hidden = more ? (unseen[name] ?? 10) : 10;
		const lowest = Math.min(tenths, hidden, said.get(name) ?? 10);
		const notes = [
			...(hidden < tenths ? ["There are more files than the provider shows"] : []),
			...((said.get(name) ?? 10) < Math.min(tenths, hidden) ? ["The caller says that it is riskier"] : []),
		];
		return {
			factor: name,
			tenths: lowest,
			proofs: boundedProofs([...notes.map(plain), ...(proofs[name] ?? [])]),
			caps:
				name === "category" && changesChecks
					? [{ action: "notify_then_merge" as const, because: "it changes the checks that judge it" }]
					: [],
		};
	});
}

interface KindOfFile {
	readonly file: FileEvidence;
	readonly categories: readonly string[];
}

function proofsOf(
	facts: ChangeFacts,
	kinds: readonly KindOfFile[],
	dependencies: readonly FileEvidence[],
): Partial<Record<FactorName, Proof[]>> {
	const telling = kinds.toSorted((one, other) => weightOf(other) - weightOf(one));
	return {
		coverage: [plain(`The caller reports ${facts.coverage_delta} percentage points`)],
		size: [plain(`${facts.lines_changed} lines changed`)],
		files: [plain(`${facts.files_changed} files changed`)],
		category: telling.map(({ file, categories }) => plain(`${quoted(file.path)} is ${categories.join(", ")}`)),
		dependencies:
			dependencies.length > 0
				? dependencies.map(({ path }) => plain(`${quoted(path)} names dependencies`))
				: [plain("No file that names dependencies changed")],
	};
}

/** Sorts what decides to the front. */
function weightOf({ categories }: KindOfFile): number {
	const [factor] = changeFactors({ ...noFacts, change_categories: categories }).filter(
		({ name }) => name === "category",
	);
	return 10 - (factor?.tenths ?? 10);
}

const noFacts: ChangeFacts = {
	coverage_delta: 0,
	lines_changed: 0,
	files_changed: 0,
	has_dependency_changes: false,
	change_categories: [],
};

/** Returns the caller's facts; what the caller does not say is as the evidence shows. */
function saidFacts(hints: ConfidenceHints, seen: ChangeFacts): ChangeFacts {
	const { coverage_delta, lines_changed, files_changed, has_dependency_changes, change_categories } = hints;
	return {
		coverage_delta,
		lines_changed: lines_changed ?? seen.lines_changed,
		files_changed: files_changed ?? seen.files_changed,
		has_dependency_changes,
		change_categories: change_categories.length > 0 ? change_categories : seen.change_categories,
	};
}

function categoriesOf(file: FileEvidence, paths: PathCategories): readonly string[] {
	return [...new Set(namesOf(file).flatMap((path) => paths.of(path)))];
}

/** A file that was moved touches both places. */
function namesOf({ path, previous_path }: FileEvidence): string[] {
	return previous_path ? [path, previous_path] : [path];
}

/** A provider's count, as far as it is one. */
function amount(count: number): number {
	return Number.isFinite(count) && count > 0 ? count : 0;
}

function plain(what: string): Proof {
	return { what, where: null, when: null };
}
