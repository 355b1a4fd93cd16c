/**
 * Cuts GitHub's description to the operations that the platform uses, with the components that they reach: `node
 * test/providers/github/trim.ts <api.github.com.json>`.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

type Tree = Record<string, unknown>;

interface Description extends Tree {
	paths: Record<string, Tree>;
	components: Record<string, Tree>;
}

const wanted: Readonly<Record<string, readonly string[]>> = {
	"/user": ["get"],
	"/orgs/{org}/repos": ["get"],
	"/repos/{owner}/{repo}": ["get"],
	"/repos/{owner}/{repo}/branches": ["get"],
	"/repos/{owner}/{repo}/pulls": ["get", "post"],
	"/repos/{owner}/{repo}/pulls/{pull_number}": ["get"],
	"/repos/{owner}/{repo}/pulls/{pull_number}/merge": ["put"],
	"/repos/{owner}/{repo}/pulls/{pull_number}/reviews": ["get"],
	"/repos/{owner}/{repo}/issues/{issue_number}/labels": ["post"],
	"/repos/{owner}/{repo}/commits/{ref}/check-runs": ["get"],
	"/repos/{owner}/{repo}/commits/{ref}/status": ["get"],
	"/repos/{owner}/{repo}/issues": ["get"],
	"/repos/{owner}/{repo}/issues/{issue_number}": ["get", "patch"],
	"/search/issues": ["get"],
};

/** Adds the components that a part of the description refers to. */
function collect(part: unknown, from: Description, into: Record<string, Tree>): void {
	if (typeof part !== "object" || part === null) return;
	for (const [name, value] of Object.entries(part)) {
		if (name === "$ref" && typeof value === "string") collectComponent(value, from, into);
		else collect(value, from, into);
	}
}

function collectComponent(reference: string, from: Description, into: Record<string, Tree>): void {
	const [, , kind = "", component = ""] = reference.split("/");
	const kept = (into[kind] ??= {});
	if (Object.hasOwn(kept, component)) return;
	kept[component] = from.components[kind]?.[component];
	collect(kept[component], from, into);
}

function trimmed(whole: Description): Description {
	const paths: Description["paths"] = {};
	for (const [path, methods] of Object.entries(wanted)) {
		const known = whole.paths[path] ?? {};
		paths[path] = Object.fromEntries(methods.map((method) => [method, known[method]]));
	}
	const components: Description["components"] = {};
	collect(paths, whole, components);
	const { openapi, info, servers } = whole;
	return { openapi, info, servers, paths, components };
}

const [, , source = ""] = process.argv;
const description: Description = JSON.parse(readFileSync(source, "utf8"));
writeFileSync(join(import.meta.dirname, "github.min.json"), JSON.stringify(trimmed(description)));
