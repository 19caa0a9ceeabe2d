package postgres

import (
	"context"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/store/row"
)

func (q queue) Save(ctx context.Context, folder string, f improve.File) error {
	if err := row.CheckFile(folder, f); err != nil {
		return err
	}
	_, err := q.exec(ctx, row.SQLSave, text(folder), text(f.Name), notNil(f.Body))
	return q.about(ctx, "save "+f.Name, err)
}

func (q queue) SaveOnce(ctx context.Context, folder string, f improve.File) (improve.File, error) {
	if err := row.CheckFile(folder, f); err != nil {
		return improve.File{}, err
	}
	kept := improve.File{Name: f.Name}
	err := q.store.write(ctx, func(ctx context.Context, conn *pgxpool.Conn, _ bool) error {
		if _, err := conn.Exec(ctx, row.SQLSaveOnce, text(folder), text(f.Name), notNil(f.Body)); err != nil {
			return err
		}
		return conn.QueryRow(ctx, row.SQLFile, text(folder), text(f.Name)).Scan(&kept.Body)
	})
	return kept, q.about(ctx, "save "+f.Name, err)
}

func (q queue) Files(ctx context.Context, folder string) (all []improve.File, err error) {
	err = q.store.read(ctx, func(ctx context.Context) error {
		all = nil
		rows, err := q.store.pool.Query(ctx, row.SQLFiles, text(folder))
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var f improve.File
			if err := rows.Scan(&f.Name, &f.Body); err != nil {
				return err
			}
			f.Name = plain(f.Name)
			all = append(all, f)
		}
		return rows.Err()
	})
	return all, q.about(ctx, "files of "+folder, err)
}

func (q queue) RemoveFolders(ctx context.Context, from, to string) (int, error) {
	n, err := q.exec(ctx, row.SQLForget, text(from), text(to))
	return int(n), q.about(ctx, "remove folders from "+from, err)
}

// notNil is a body that a column takes which is never null.
func notNil(body []byte) []byte {
	if body == nil {
		return []byte{}
	}
	return body
}
