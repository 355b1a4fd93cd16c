/** The proof of access on a platform in use, and its report. */
import { roleOf } from "#shared/contracts/access/admission.ts";
import { sleep } from "#shared/base/clock.ts";
import { noPlatform } from "../no-platform.ts";
import type { Caller } from "./caller.ts";
import { bearer, introduced, spellings, wrongCallers } from "./live-callers.ts";
import { Proof, type ProofResult } from "./proof.ts";
import { Prober } from "./prober.ts";
import { chatRoute, rows } from "./rows.ts";
import { revokedCallers, tokenCallers } from "./token-callers.ts";
import { PlatformError } from "../platform-client.ts";
import { World } from "./world.ts";

/** The time after which a token that was revoked is refused by every gateway, in milliseconds. */
const revocationMs = 10_000;

/** Two slashes begin a path of a row that has no prefix. */
const absoluteRoute = /\b(GET|POST|PUT|PATCH|DELETE) \/\//g;

/** The routes of the platform, in the form of contracts. */
interface LiveRoutes {
	readonly prefix: string;
	readonly routes: readonly string[];
}

/**
 * Examines a platform and prints the report; returns whether it has no hole.
 * @param origin E.g. `http://127.0.0.1:8080`. @param tokens Those of people; the first one owns the objects.
 * @throws {PlatformError} when the proof is not possible.
 */
export async function examine(origin: string, tokens: readonly string[], say: (line: string) => void) {
	const print = (line: string): void => say(line.replaceAll(absoluteRoute, "$1 /"));
	const prober = new Prober(origin);
	const { prefix, routes } = await liveRoutes(prober);
	const { owner, people, impostors } = await callersOf(prober, prefix, tokens);
	const others = people.slice(1).map(({ name }) => name);
	for (const line of await shortcomings(prober)) print(`WARNING: ${line}`);
	print(`The owner is ${owner.name}; other callers: ${others.join("; ") || "none"}`);
	const world = new World({ prober, prefix, owner, isInUse: true });
	let result: ProofResult | undefined;
	let left: string[];
	try {
		await world.make(1);
		const wrong = wrongCallers(tokens[0] ?? "", world.target("session")?.id ?? "");
		const programs = await programsOf(prober, world, owner);
		const callers = [...people, ...impostors, ...wrong, ...programs];
		const known = Object.fromEntries(
			Object.entries(rows).filter(([route]) => routes.includes(route) || route === chatRoute),
		);
		result = await new Proof({ prober, world, prefixes: [prefix], owner, callers, rows: known, isInUse: true }).run();
	} finally {
		left = await world.remove();
	}
	const faults = [...result.holes, ...left];
	print(`${result.cells} cells by ${prober.sent} requests: ${JSON.stringify(result.outcomes)}`);
	for (const line of unchecked(people, result.leftOut, routes)) print(`Not checked: ${line}`);
	for (const fault of faults) print(`HOLE: ${fault}`);
	print(verdict(faults.length));
	return faults.length === 0;
}

function verdict(holes: number): string {
	if (holes === 0) return "No hole was found";
	return holes === 1 ? "1 hole was found" : `${holes} holes were found`;
}

/** Returns the owner's personal access tokens as callers, and a revoked one; none where the platform makes no tokens. */
async function programsOf(prober: Prober, world: World, owner: Caller): Promise<Caller[]> {
	if (!world.target("token")) return [];
	const tokens = await tokenCallers(prober, world, owner);
	const revoked = await revokedCallers(prober, owner, spellings);
	await sleep(revocationMs);
	return [...tokens, ...revoked];
}

async function callersOf(prober: Prober, prefix: string, tokens: readonly string[]) {
	const without = await introduced(prober, prefix, { name: "nobody", headers: {} });
	const people: Caller[] = [];
	for (const [i, token] of tokens.entries()) {
		const caller = await introduced(prober, prefix, { name: `token ${i + 1}`, headers: bearer(token) });
		if (!caller.principal) throw new PlatformError(`The platform does not accept token ${i + 1}`);
		people.push(caller);
	}
	if (without.principal) people.push(without);
	const [owner] = people;
	if (!owner) throw new PlatformError("The platform knows nobody without a token: give one with --token");
	return { owner, people, impostors: without.principal ? [] : [without] };
}

/** Reads from `/health` what this installation says that it cannot guarantee. */
async function shortcomings(prober: Prober): Promise<readonly string[]> {
	const { status, text } = await prober.send({ headers: {} }, { method: "GET", path: "/health" });
	const said: { readonly shortcomings?: readonly string[] } = status === 200 ? JSON.parse(text) : {};
	return said.shortcomings ?? [];
}

/** Reads the routes from the platform's own description. @throws {PlatformError} */
async function liveRoutes(prober: Prober): Promise<LiveRoutes> {
	const first = prober.send({ headers: {} }, { method: "GET", path: "/openapi.json" });
	const { status, text } = await first.catch((cause: unknown) => {
		throw new PlatformError(noPlatform(prober.origin, cause));
	});
	if (status !== 200) throw new PlatformError(`The platform does not describe its API: ${status}`);
	const { paths } = JSON.parse(text) as { paths: Record<string, Record<string, unknown>> };
	const list = Object.keys(paths).find((path) => path.endsWith("/sessions/{session_id}"));
	if (list === undefined) throw new PlatformError("The platform has no sessions");
	const prefix = list.slice(0, -"/sessions/{session_id}".length);
	const routes = Object.entries(paths).flatMap(([path, methods]) => {
		const known = path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : `/${path}`;
		return Object.keys(methods).map((method) => `${method.toUpperCase()} ${known.replaceAll(/\{(\w+)\}/g, ":$1")}`);
	});
	return { prefix, routes };
}

/** Returns sentences about everything that these callers could not show. */
function unchecked(people: readonly Caller[], leftOut: readonly string[], routes: readonly string[]): string[] {
	const [owner, ...others] = people.map(({ principal }) => principal);
	const isThere = (test: (other: NonNullable<typeof owner>) => boolean): boolean =>
		others.some((other) => other !== undefined && test(other));
	const lacks = [
		isThere(({ tenant }) => tenant !== owner?.tenant) ? "" : "people of another tenant (no such token)",
		isThere((one) => one.tenant === owner?.tenant && one.id !== owner.id && roleOf(one) !== "admin")
			? ""
			: "colleagues of the owner (no such token)",
		isThere((one) => one.tenant === owner?.tenant && roleOf(one) === "admin") ? "" : "administrators (no such token)",
		isThere((one) => roleOf(one) === "viewer") ? "" : "viewers (no such token)",
		"pods of sessions (their keys stay in the platform)",
	];
	const unknown = routes.filter((route) => !Object.hasOwn(rows, route));
	return [
		...lacks.filter((line) => line !== ""),
		...leftOut.map((route) => `${route} (it would change what other people use, or leave something behind)`),
		...unknown.map((route) => `${route} (this doctor does not know it)`),
	];
}
