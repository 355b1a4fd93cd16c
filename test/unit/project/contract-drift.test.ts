/**
 * The API has no operation, parameter or member that is in neither the contract nor decision 0003. The differences of the
 * conformance suite (its patches) say where each of them is; the decision has their names, and why.
 */
import { expect } from "chai";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "#shared/base/project-root.ts";
import { publicContracts } from "#shared/contracts/all.ts";
import { actionRoutes } from "#services/gateway/routes/action-route.ts";
import { openApi } from "#services/gateway/routes/openapi.ts";
import { additionsTo, surfaceOf } from "../../support/conformance/api-surface.ts";
import type { OpenApiDocument } from "../../support/conformance/json-schema.ts";
import { patches } from "../../support/conformance/patches.ts";
import { contractDocument } from "../../support/conformance/wire-contract.ts";

const decision = readFileSync(join(projectRoot, "docs/decisions/0003-additions-to-the-contract.md"), "utf8");
const rows = decision.split("\n").filter((line) => line.startsWith("| "));

function ownDocument(): OpenApiDocument {
	const info = { title: "Atelier", version: "1.2.3", prefix: "/api/v1/svc" };
	return JSON.parse(JSON.stringify(openApi(actionRoutes(publicContracts), info)));
}

/** Whether a row of the decision that says "addition" begins with the operation: its path, and its method where the row has any. */
function isAddition(operation: string): boolean {
	const [method = "", path = ""] = operation.split(" ");
	return rows.some((row) => {
		const [, first = "", second = ""] = row.split(/(?<!\\)\|/);
		const paths = [...first.matchAll(/[/…][^\s`,]*/g)].map(([text]) => text.replaceAll(/\{\w+\}/g, "{}"));
		const methods = [...first.matchAll(/\b(?:GET|POST|PUT|PATCH|DELETE)\b/g)].map(([text]) => text);
		const names = (one: string) => (one.startsWith("…") ? path.endsWith(one.slice(1)) : path === one);
		return /\baddition\b/.test(second) && paths.some(names) && (methods.length === 0 || methods.includes(method));
	});
}

describe("the API", () => {
	const contract = surfaceOf(contractDocument([]));
	const agreed = surfaceOf(contractDocument(patches));
	const words = new Set([...decision.matchAll(/`([^`]+)`/g)].flatMap(([, text = ""]) => text.match(/\w+/g) ?? []));

	/** Returns what is neither in the contract nor in its differences. */
	function drift(document: OpenApiDocument): string[] {
		return additionsTo(agreed, surfaceOf(document)).filter(
			(entry) => entry.split(" ").length > 2 || !isAddition(entry),
		);
	}

	it("has nothing that is neither in the contract nor among the differences from it", () => {
		expect(drift(ownDocument())).to.deep.equal([]);
	});

	it("has differences from the contract only where decision 0003 names them", () => {
		const added = additionsTo(contract, surfaceOf(ownDocument())).filter((entry) => entry.split(" ").length > 2);
		const whole = new Set(added);
		const first = added.filter((entry) => !whole.has(entry.slice(0, entry.lastIndexOf("."))));
		expect(first.filter((entry) => !words.has(/\w+$/.exec(entry)?.[0] ?? ""))).to.deep.equal([]);
	});

	it("is found to drift by an operation, a parameter, a member of a body and one of an answer", () => {
		const planted = ownDocument();
		const { get, post } = planted.paths["/api/v1/svc/sessions"] ?? {};
		if (!get || !post) throw new TypeError("There are no sessions");
		planted.paths["/api/v1/svc/sessions/{session_id}/planted"] = { get: { ...get, parameters: [] } };
		get.parameters = [...(get.parameters ?? []), { name: "planted", in: "query", schema: {} }];
		const contents = [post.requestBody?.content, post.responses["201"]?.content];
		for (const { schema } of contents.flatMap((content) => Object.values(content ?? {})))
			schema.properties = { ...schema.properties, planted: {} };
		expect(drift(planted)).to.include.members([
			"GET /sessions ?planted",
			"POST /sessions body.planted",
			"POST /sessions answer.planted",
			"GET /sessions/{}/planted",
		]);
	});
});
