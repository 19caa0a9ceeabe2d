// Package flow makes the steps of an improvement durable.
package flow

import (
	_ "github.com/dbos-inc/dbos-transact-golang/dbos"
	_ "github.com/jackc/pgx/v5/stdlib"
)
