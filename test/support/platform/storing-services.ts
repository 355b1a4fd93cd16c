/** The service folders that store, in the order in which they start: with the embedded store, one process runs them all. */
export const storingServices = [
	"event-log",
	"sessions",
	"blueprints",
	"settings",
	"audit",
	"identity",
	"pat",
	"git",
	"tracker",
	"integrations",
];
