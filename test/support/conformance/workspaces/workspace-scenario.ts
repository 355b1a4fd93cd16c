/** One pass over workspaces, each of which a session has left. */
import { expect } from "chai";
import { eventually } from "../../eventually.ts";
import { unknownId } from "../request.ts";
import { walkPages } from "../settings-scenario.ts";
import type { Walker } from "../walker.ts";

interface WorkspaceView {
	id: string;
	session_id: string;
	user_id: string;
	status: string;
	archived_at: string | null;
	deleted_at: string | null;
	session_name: string | null;
	size_bytes: number | null;
}

const withinMs = 30_000;

export async function walkWorkspaces(walker: Walker): Promise<void> {
	const first = await leftWorkspace(walker, "first");
	const second = await leftWorkspace(walker, "second");
	const ids = async (operation: string, query: Record<string, string> = {}) =>
		(await walker.call<WorkspaceView[]>(operation, 200, { query })).map(({ id }) => id);
	expect(await ids("listWorkspaces", { status: "archived" })).to.deep.equal([second, first]);
	const { user_id } = await walker.call<WorkspaceView>("getWorkspace", 200, { path: { id: first } });
	expect(await ids("listAllWorkspaces", { status: "archived", user_id })).to.deep.equal([second, first]);
	expect(await ids("listAllWorkspaces", { user_id: "nobody" })).to.deep.equal([]);
	await walkPages(walker, "listWorkspaces", 2);
	await walkPages(walker, "listAllWorkspaces", 2);

	const path = { id: first };
	const restored = await walker.call<WorkspaceView>("restoreWorkspace", 200, { path });
	expect(restored).to.include({ id: first, status: "active", archived_at: null, session_name: "first" });
	await walker.call("restoreWorkspace", 409, { path });
	const body = { name: "third", workspace_id: first };
	const { id: third } = await walker.call<{ id: string }>("createSession", 201, { body });
	await walker.call("createSession", 409, { body });
	await walker.call("createSession", 422, { body: { ...body, workspace_id: unknownId } });
	await walker.call("createSession", 422, { body: { ...body, workspace_id: second, repo: "https://git.example/a" } });
	expect(await walker.call<WorkspaceView>("getWorkspace", 200, { path: { id: third } })).to.include({ id: first });
	await walker.call("deleteWorkspace", 409, { path });
	await walker.call("deleteSession", 204, { path: { session_id: third }, body: { cleanup: ["chronicles"] } });
	await reaches(walker, first, "archived");
	await walker.call("deleteWorkspace", 204, { path });
	await walker.call("deleteWorkspace", 404, { path });
	await walker.call("getWorkspace", 404, { path });
	await walkBulkDeletion(walker, second);
}

async function walkBulkDeletion(walker: Walker, id: string): Promise<void> {
	const all = { body: { session_ids: [id, unknownId] } };
	const unknown = { session_id: unknownId, error: `Workspace "${unknownId}" does not exist` };
	expect(await walker.call("bulkDeleteWorkspaces", 200, all)).to.deep.equal({ deleted: 1, failed: [unknown] });
	const { failed } = await walker.call<{ failed: unknown[] }>("adminBulkDeleteWorkspaces", 200, all);
	expect(failed).to.have.length(2);
	expect(await walker.call("adminBulkDeleteWorkspaces", 200, { body: {} })).to.deep.equal({ deleted: 0, failed: [] });
}

/** Deletes a session without its workspace; resolves to the id of the workspace. */
async function leftWorkspace(walker: Walker, name: string): Promise<string> {
	const { id } = await walker.call<{ id: string }>("createSession", 201, { body: { name } });
	const path = { session_id: id };
	const isRunning = async () =>
		(await walker.call<{ status: string }>("getSession", 200, { path })).status === "running";
	await eventually(isRunning, { withinMs, everyMs: 100, what: "the session runs" });
	await walker.call("deleteSession", 204, { path, body: { cleanup: ["chronicles"] } });
	await reaches(walker, id, "archived");
	return id;
}

async function reaches(walker: Walker, id: string, status: string): Promise<void> {
	const isThere = async () =>
		(await walker.call<WorkspaceView>("getWorkspace", 200, { path: { id } })).status === status;
	await eventually(isThere, { withinMs, everyMs: 100, what: `the workspace is ${status}` });
}
