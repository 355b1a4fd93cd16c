import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { expect } from "chai";
import { routesOf } from "#shared/contracts/contract.ts";
import type { Rule } from "#shared/base/schema/schema.ts";
import { publicContracts } from "#shared/contracts/all.ts";
import { type ActionRoute, actionRoutes } from "#services/gateway/routes/action-route.ts";
import { openApi } from "#services/gateway/routes/openapi.ts";
import { probe } from "../../../../support/bus/probe-service.ts";

interface Operation {
	operationId: string;
	summary: string;
	description: string;
	tags: string[];
	parameters: { name: string; in: string; required: boolean; schema: object }[];
	requestBody?: { required: boolean; content: Record<string, { schema: object; example?: object }> };
	responses: Record<string, { headers?: object; content?: Record<string, { schema: object }> }>;
	security?: unknown[];
}

interface Document {
	info: { description: string };
	tags: { name: string; description?: string }[];
	paths: Record<string, Record<string, Operation>>;
	components: { schemas: Record<string, object>; responses: Operation["responses"] };
}

function documentOf(contracts: Parameters<typeof actionRoutes>[0]): Document {
	const info = { title: "Atelier", version: "1.2.3", prefix: "/api/v1/svc" };
	return JSON.parse(JSON.stringify(openApi(actionRoutes(contracts), info))) as Document;
}

const standIn = "6f1b2c3d-0000-4000-8000-000000000001";

/** Reads a request with this body. @throws {Error} when the operation does not take it, or ignores a member. */
function take(route: ActionRoute, text: string): void {
	const body = JSON.parse(text) as Record<string, unknown>;
	const valueOf = ([name, { type }]: [string, Rule]) => [name, type === "number" ? "1" : standIn];
	const path = Object.fromEntries(Object.entries(route.paramsIn("path")).map(valueOf));
	const names = Object.keys(route.paramsIn("query"));
	route.readParams({ path, query: names.map((name) => `${name}=x`).join("&"), body });
	const [ignored] = route.ignoredIn({ query: "", body });
	if (ignored !== undefined) throw new Error(ignored);
}

describe("openApi()", () => {
	const document = documentOf(publicContracts);
	const operations = Object.values(document.paths).flatMap((path) => Object.values(path));

	it("has every route of every contract, each with a name of its own", () => {
		const routes = publicContracts.flatMap(({ actions }) => Object.values(actions).flatMap(routesOf));
		expect(operations).to.have.length(routes.length);
		expect(new Set(operations.map(({ operationId }) => operationId)).size).to.equal(routes.length);
		for (const path of Object.keys(document.paths)) expect(path).to.match(/^\/api\/v1\/(svc|users|niuu)\/[\w/{}-]+$/);
	});

	it("names every parameter of a path, and requires it", () => {
		for (const [path, methods] of Object.entries(document.paths)) {
			const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
			for (const { parameters } of Object.values(methods)) {
				const inPath = parameters.filter((one) => one.in === "path" && one.required).map(({ name }) => name);
				expect(inPath, path).to.deep.equal(named);
			}
		}
	});

	it("has groups in the order of use, each with its description, and an introduction whose operations exist", () => {
		expect(document.info.description).to.include("version 0.69.1");
		const [first] = document.tags;
		expect(first?.name).to.equal("sessions");
		expect(document.tags.filter(({ description = "" }) => !description.endsWith("."))).to.deep.equal([]);
		const named = [...document.info.description.matchAll(/`(GET|POST) (\/\S+)`/g)];
		expect(named).to.have.length(5);
		for (const [, method = "", path = ""] of named) expect(document.paths[path]).to.have.property(method.toLowerCase());
	});

	it("has a title of its own and a description for every operation, and says who may call it", () => {
		const all = Object.entries(documentOf(publicContracts).paths).flatMap(([path, operations]) =>
			Object.entries(operations).map(([method, operation]) => ({ name: `${method} ${path}`, ...operation })),
		);
		expect(all.length).to.be.greaterThan(100);
		for (const { name, summary, description, tags } of all) {
			expect(summary, name).to.match(/^[A-Z"'].{5,}[^.]$/);
			expect(description, name)
				.to.match(/^[A-Z`].*\.$/s)
				.and.to.match(/may call it[ .,;]/);
			const sameWords = all.filter((other) => other.tags[0] === tags[0] && other.summary === summary);
			expect(
				new Set(sameWords.map(({ operationId }) => operationId.replace(/\.(get|post|put|patch|delete)$/, ""))).size,
				name,
			).to.equal(1);
		}
	});

	it("has an example of every body, which its operation takes, and no invented id", () => {
		const withBody = actionRoutes(publicContracts).filter(
			(route) => !route.action.raw_body && Object.keys(route.paramsIn("body")).length > 0,
		);
		for (const route of withBody) {
			const text = JSON.stringify(route.action.example ?? {});
			expect(text).not.to.match(/[0-9a-f]{8}-[0-9a-f]{4}/);
			expect(() => take(route, text.replaceAll("the id of a session", standIn)), route.action.name).not.to.throw();
		}
		const shown = operations.filter(({ requestBody }) => requestBody?.content["application/json"]?.example);
		expect(shown).to.have.length(withBody.length);
	});

	it("has valid schemas, with every reference in the document", () => {
		const ajv = new Ajv2020({ strict: false });
		addFormats.default(ajv);
		ajv.addSchema(document, "document");
		for (const { responses, requestBody, parameters } of operations) {
			const contents = [...Object.values(responses), ...(requestBody ? [requestBody] : [])];
			const schemas = contents.flatMap(({ content = {} }) => Object.values(content).map(({ schema }) => schema));
			for (const schema of [...schemas, ...parameters.map((one) => one.schema)]) {
				const text = JSON.stringify(schema).replaceAll('"#/', '"document#/');
				expect(() => ajv.compile(JSON.parse(text) as object)).to.not.throw();
			}
		}
	});

	it("says that failures have the contract's bodies", () => {
		for (const { responses, security } of operations) {
			expect(responses).to.have.property("503");
			expect("401" in responses).to.equal(security === undefined);
			const failures = Object.entries(responses).filter(([status]) => Number(status) >= 400 && status !== "422");
			for (const [status, failure] of failures)
				expect(failure).to.deep.equal({ $ref: `#/components/responses/${status}` });
		}
	});

	it("describes each failure once", () => {
		const { 422: invalid, ...failures } = document.components.responses;
		expect(invalid).to.have.property("content");
		for (const { content } of Object.values(failures))
			expect(content?.["application/json"]?.schema).to.deep.equal({ $ref: "#/components/schemas/ErrorResponse" });
	});

	it("describes pages, bodies, open actions and absolute paths as they are served, and hides jobs", () => {
		const { paths } = documentOf([probe]);
		const operation = (path: string, method: string) => paths[path]?.[method] ?? expect.fail(`no ${method} ${path}`);
		const { responses } = operation("/api/v1/svc/things", "get");
		expect(responses["200"]).to.have.property("headers").that.has.property("Link");
		expect(responses["200"]).to.have.deep.nested.property("content.application/json.schema", {
			type: "array",
			items: {},
		});
		const write = operation("/api/v1/svc/things/{thing_id}", "post");
		expect(write.requestBody).to.deep.include({ required: true });
		expect(Object.keys(write.responses)).to.include.members(["201", "413", "415", "422"]);
		expect(operation("/open", "get").security).to.deep.equal([]);
		expect(paths).to.not.have.property("/api/v1/svc/jobs");
	});
});
